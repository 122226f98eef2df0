//! Numbers with units, as people type and read them.
