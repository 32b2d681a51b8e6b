"""Countries: the codes of ISO 3166-1 and XK (Kosovo), with their names in English and German."""

# Code and English name of each country, and after "=" the German name where it differs.
LISTED = """
    AD Andorra; AE United Arab Emirates = Vereinigte Arabische Emirate; AF Afghanistan;
    AG Antigua and Barbuda = Antigua und Barbuda; AI Anguilla; AL Albania = Albanien; AM Armenia = Armenien;
    AO Angola; AQ Antarctica = Antarktis; AR Argentina = Argentinien; AS American Samoa = Amerikanisch-Samoa;
    AT Austria = Österreich; AU Australia = Australien; AW Aruba; AX Åland Islands = Åland;
    AZ Azerbaijan = Aserbaidschan; BA Bosnia and Herzegovina = Bosnien und Herzegowina; BB Barbados;
    BD Bangladesh = Bangladesch; BE Belgium = Belgien; BF Burkina Faso; BG Bulgaria = Bulgarien; BH Bahrain;
    BI Burundi; BJ Benin; BL Saint Barthélemy = St. Barthélemy; BM Bermuda; BN Brunei; BO Bolivia = Bolivien;
    BQ Caribbean Netherlands = Karibische Niederlande; BR Brazil = Brasilien; BS Bahamas; BT Bhutan;
    BV Bouvet Island = Bouvetinsel; BW Botswana = Botsuana; BY Belarus; BZ Belize; CA Canada = Kanada;
    CC Cocos (Keeling) Islands = Kokosinseln; CD Democratic Republic of the Congo = Demokratische Republik Kongo;
    CF Central African Republic = Zentralafrikanische Republik; CG Republic of the Congo = Republik Kongo;
    CH Switzerland = Schweiz; CI Côte d'Ivoire; CK Cook Islands = Cookinseln; CL Chile; CM Cameroon = Kamerun;
    CN China; CO Colombia = Kolumbien; CR Costa Rica; CU Cuba = Kuba; CV Cape Verde = Kap Verde; CW Curaçao;
    CX Christmas Island = Weihnachtsinsel; CY Cyprus = Zypern; CZ Czech Republic = Tschechische Republik;
    DE Germany = Deutschland; DJ Djibouti = Dschibuti; DK Denmark = Dänemark; DM Dominica;
    DO Dominican Republic = Dominikanische Republik; DZ Algeria = Algerien; EC Ecuador; EE Estonia = Estland;
    EG Egypt = Ägypten; EH Western Sahara = Westsahara; ER Eritrea; ES Spain = Spanien; ET Ethiopia = Äthiopien;
    FI Finland = Finnland; FJ Fiji = Fidschi; FK Falkland Islands = Falklandinseln; FM Micronesia = Mikronesien;
    FO Faroe Islands = Färöer; FR France = Frankreich; GA Gabon = Gabun;
    GB United Kingdom = Vereinigtes Königreich; GD Grenada; GE Georgia = Georgien;
    GF French Guiana = Französisch-Guayana; GG Guernsey; GH Ghana; GI Gibraltar; GL Greenland = Grönland;
    GM Gambia; GN Guinea; GP Guadeloupe; GQ Equatorial Guinea = Äquatorialguinea; GR Greece = Griechenland;
    GS South Georgia and the South Sandwich Islands = Südgeorgien und die Südlichen Sandwichinseln; GT Guatemala;
    GU Guam; GW Guinea-Bissau; GY Guyana; HK Hong Kong = Hongkong;
    HM Heard Island and McDonald Islands = Heard und McDonaldinseln; HN Honduras; HR Croatia = Kroatien; HT Haiti;
    HU Hungary = Ungarn; ID Indonesia = Indonesien; IE Ireland = Irland; IL Israel; IM Isle of Man;
    IN India = Indien; IO British Indian Ocean Territory = Britisches Territorium im Indischen Ozean;
    IQ Iraq = Irak; IR Iran; IS Iceland = Island; IT Italy = Italien; JE Jersey; JM Jamaica = Jamaika;
    JO Jordan = Jordanien; JP Japan; KE Kenya = Kenia; KG Kyrgyzstan = Kirgisistan; KH Cambodia = Kambodscha;
    KI Kiribati; KM Comoros = Komoren; KN Saint Kitts and Nevis = St. Kitts und Nevis; KP North Korea = Nordkorea;
    KR South Korea = Südkorea; KW Kuwait; KY Cayman Islands = Kaimaninseln; KZ Kazakhstan = Kasachstan; LA Laos;
    LB Lebanon = Libanon; LC Saint Lucia = St. Lucia; LI Liechtenstein; LK Sri Lanka; LR Liberia; LS Lesotho;
    LT Lithuania = Litauen; LU Luxembourg = Luxemburg; LV Latvia = Lettland; LY Libya = Libyen;
    MA Morocco = Marokko; MC Monaco; MD Moldova = Moldau; ME Montenegro; MF Saint Martin = St. Martin;
    MG Madagascar = Madagaskar; MH Marshall Islands = Marshallinseln; MK North Macedonia = Nordmazedonien; ML Mali;
    MM Myanmar; MN Mongolia = Mongolei; MO Macao = Macau; MP Northern Mariana Islands = Nördliche Marianen;
    MQ Martinique; MR Mauritania = Mauretanien; MS Montserrat; MT Malta; MU Mauritius; MV Maldives = Malediven;
    MW Malawi; MX Mexico = Mexiko; MY Malaysia; MZ Mozambique = Mosambik; NA Namibia;
    NC New Caledonia = Neukaledonien; NE Niger; NF Norfolk Island = Norfolkinsel; NG Nigeria; NI Nicaragua;
    NL Netherlands = Niederlande; NO Norway = Norwegen; NP Nepal; NR Nauru; NU Niue; NZ New Zealand = Neuseeland;
    OM Oman; PA Panama; PE Peru; PF French Polynesia = Französisch-Polynesien;
    PG Papua New Guinea = Papua-Neuguinea; PH Philippines = Philippinen; PK Pakistan; PL Poland = Polen;
    PM Saint Pierre and Miquelon = St. Pierre und Miquelon; PN Pitcairn Islands = Pitcairninseln; PR Puerto Rico;
    PS Palestine = Palästina; PT Portugal; PW Palau; PY Paraguay; QA Qatar = Katar; RE Réunion;
    RO Romania = Rumänien; RS Serbia = Serbien; RU Russia = Russland; RW Rwanda = Ruanda;
    SA Saudi Arabia = Saudi-Arabien; SB Solomon Islands = Salomonen; SC Seychelles = Seychellen; SD Sudan;
    SE Sweden = Schweden; SG Singapore = Singapur; SH Saint Helena = St. Helena; SI Slovenia = Slowenien;
    SJ Svalbard and Jan Mayen = Spitzbergen und Jan Mayen; SK Slovakia = Slowakei; SL Sierra Leone; SM San Marino;
    SN Senegal; SO Somalia; SR Suriname; SS South Sudan = Südsudan;
    ST São Tomé and Príncipe = São Tomé und Príncipe; SV El Salvador; SX Sint Maarten; SY Syria = Syrien;
    SZ Eswatini; TC Turks and Caicos Islands = Turks- und Caicosinseln; TD Chad = Tschad;
    TF French Southern Territories = Französische Süd- und Antarktisgebiete; TG Togo; TH Thailand;
    TJ Tajikistan = Tadschikistan; TK Tokelau; TL Timor-Leste; TM Turkmenistan; TN Tunisia = Tunesien; TO Tonga;
    TR Türkiye = Türkei; TT Trinidad and Tobago = Trinidad und Tobago; TV Tuvalu; TW Taiwan;
    TZ Tanzania = Tansania; UA Ukraine; UG Uganda; UM US Outlying Islands = Amerikanische Überseeinseln;
    US United States of America = Vereinigte Staaten von Amerika; UY Uruguay; UZ Uzbekistan = Usbekistan;
    VA Vatican City = Vatikanstadt; VC Saint Vincent and the Grenadines = St. Vincent und die Grenadinen;
    VE Venezuela; VG British Virgin Islands = Britische Jungferninseln;
    VI US Virgin Islands = Amerikanische Jungferninseln; VN Vietnam; VU Vanuatu;
    WF Wallis and Futuna = Wallis und Futuna; WS Samoa; XK Kosovo; YE Yemen = Jemen; YT Mayotte;
    ZA South Africa = Südafrika; ZM Zambia = Sambia; ZW Zimbabwe = Simbabwe"""


def _names(entry):
    """Return (code, {language: name}) of an entry of LISTED."""
    english, _, german = entry[3:].partition(" = ")
    return entry[:2], {"en": english, "de": german or english}


NAMES = dict(_names(entry.strip()) for entry in LISTED.split(";"))


def name(code, language):
    """Return the name of a country. A code that is not listed is returned as it is."""
    return NAMES[code][language] if code in NAMES else code
