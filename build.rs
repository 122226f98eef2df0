//! Builds again when a text of the course or a kernel is added or removed: they
//! are embedded, and the compiler only watches the files that it has seen.

fn main() {
    for folder in ["lessons", "exercises", "solutions", "kernels"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
