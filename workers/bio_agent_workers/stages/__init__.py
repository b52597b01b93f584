"""The five stages, one module each: `load`, `think`, `save`. pipeline.py has the table that names them."""
