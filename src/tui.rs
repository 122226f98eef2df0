//! Screens, widgets, theme: draws app state.
