"""The OpenAPI document, made from the routes and schemas that serve requests."""
