"""Pictures: hall plan, badge, charts and invoice as SVG and PDF. They draw what they are given and know neither database nor HTTP."""
