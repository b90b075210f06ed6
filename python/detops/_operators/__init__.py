"""The operators on arrays, a module for each family."""
