//! Builds again when a text of the course is added or removed: the texts are
//! embedded, and the compiler only watches the files that it has seen.

fn main() {
    for folder in ["lessons", "exercises", "solutions"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
