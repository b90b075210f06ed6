"""Settings of all tests."""

from hypothesis import settings

# The same examples in each run: a failure must not depend on the day. No deadline: machines are
# busy at times.
settings.register_profile("detops", deadline=None, max_examples=40, derandomize=True, database=None)
settings.load_profile("detops")
