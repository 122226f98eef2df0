//! Races of one warp, whose lanes read together: reader and writer that are named differ.

use crate::{Access, LaunchRequest, Machine, MachineError, Options, Problem, Program};

/// A kernel whose one warp runs `body` over 256 bytes of shared memory: `%r1` is the
/// thread, `%r2` four times that, `%p1` says that it is `only`.
fn raced(only: u32, body: &str) -> (u32, Option<u32>, [Access; 2], String) {
    let text = format!(
        ".version 8.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n\
         .shared .align 16 .b8 part[256];\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\n\
         mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, part;\nadd.s32 %r4, %r3, %r2;\n\
         setp.eq.u32 %p1, %r1, {only};\n{body}\nret;\n}}\n"
    );
    let program = Program::parse(&text).unwrap();
    let mut machine = Machine::new(Options {
        check: true,
        ..Options::default()
    });
    let found = machine.launch(
        &program,
        &LaunchRequest {
            entry: "k",
            grid: [1, 1, 1],
            block: [32, 1, 1],
            shared: 0,
            params: &[],
            cooperative: false,
        },
    );
    let Err(MachineError::Found(finding)) = found else {
        panic!("{body}: {found:?}")
    };
    let told = finding.to_string();
    let Problem::Race { now, earlier, .. } = finding.problem else {
        panic!("{body}: {told}")
    };
    (
        finding.thread[0],
        earlier.thread,
        [earlier.access, now],
        told,
    )
}

#[test]
fn the_reader_that_is_named_is_not_the_writer() {
    let one_writes_all_read = "@%p1 st.shared.u32 [%r3], %r1;\nld.shared.u32 %r5, [%r3];";
    // Lanes of a group of eight that read one place are one reader: its first lane is the
    // writer itself in the first of these, and every lane of a group is once.
    for writer in 0..32 {
        let (reader, earlier, kinds, told) = raced(writer, one_writes_all_read);
        assert_eq!(earlier, Some(writer), "{told}");
        assert_ne!(reader, writer, "{told}");
        assert_eq!(kinds, [Access::Write, Access::Read]);
        assert!(told.contains(&format!("thread [{reader}, 0, 0]")), "{told}");
    }
    let (reader, ..) = raced(0, one_writes_all_read);
    assert_eq!(reader, 1);
    // Each writes its own and all read the last: a loop over part[] in every lane.
    let own = "st.shared.u32 [%r4], %r1;\nld.shared.u32 %r5, [%r3];";
    let (reader, earlier, ..) = raced(0, own);
    assert_eq!((reader, earlier), (1, Some(0)));
    // A vector whose first word the reader wrote and whose second it did not.
    let two = "st.shared.u32 [%r4], %r1;\nld.shared.v2.u32 {%r5, %r6}, [%r3];";
    let (reader, earlier, _, told) = raced(0, two);
    assert_ne!(Some(reader), earlier, "{told}");
}

#[test]
fn who_writes_behind_a_read_or_a_write_is_not_who_was_there_first() {
    // Written behind a barrier first, so that nothing is read that nobody wrote.
    let written = "st.shared.u32 [%r4], %r1;\nbar.sync 0;\n";
    for writer in [0, 1, 7, 8, 31] {
        // All read a place, one writes it: of the readers only that there are several is known.
        let after = format!("{written}ld.shared.u32 %r5, [%r3];\n@%p1 st.shared.u32 [%r3], %r1;");
        let (thread, earlier, kinds, told) = raced(writer, &after);
        assert_eq!((thread, earlier), (writer, None), "{told}");
        assert_eq!(kinds, [Access::Read, Access::Write]);
        assert!(told.contains("several threads"), "{told}");
        // One writes a place, then all write the same there.
        let twice = format!("{written}@%p1 st.shared.u32 [%r3], 7;\nst.shared.u32 [%r3], 7;");
        let (thread, earlier, kinds, told) = raced(writer, &twice);
        assert_eq!(earlier, Some(writer), "{told}");
        assert_ne!(thread, writer, "{told}");
        assert_eq!(kinds, [Access::Write, Access::Write]);
    }
}
