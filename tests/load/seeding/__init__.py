"""What the databases of the load tests contain, one module per subject.

Each module has functions `fill_...(connection, show)` that write rows by SQL. The rows are
consistent: sums of money, states, counters of visits and the hash chain are as the service would
have written them.
"""
