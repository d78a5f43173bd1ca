# A module that another imports.
registry = {}
