//! State, messages, update -> effects, keymap. Pure.
