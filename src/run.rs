//! What is asked of a machine and what it answers. Data only.
