"""The demo's models: prepared from an installed package, adapted, merged, evaluated."""
