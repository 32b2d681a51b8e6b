"""ALL_TESTS=1 in the environment: the long form of the tests, which `.ci/run all` runs before a
release.

Without it, these are left out, because they take long and rarely find what the others do not:

- the samples of the reference in the other of the two languages (tests/pages/test_samples.py),
- pages in light on a phone and in dark on a desk (tests/support/browser.py),
- that no plan of a statement gets worse with statistics (tests/storage/test_plans.py),
- invoices to buyers in five of six countries (tests/einvoices_sent/test_any_buyer.py),
- a bank statement with 50,000 entries (tests/domain/bank/test_archives.py),
- further random years of bookkeeping (tests/domain/test_books.py, test_closed_books.py),
- what Spectral says about the document in OpenAPI 3.0 (tests/clients/test_generated_clients.py),
- that the service and the other tests need no DATEV (tests/test_without_datev.py).

The name does not begin with EVENTAPI_: the service refuses variables of this kind that it does not
know.
"""

import os

import pytest

ALL_TESTS = bool(os.environ.get("ALL_TESTS"))
only_in_all = pytest.mark.skipif(
    not ALL_TESTS, reason="takes long: `.ci/run all` runs it, with ALL_TESTS=1"
)
