//! Document ids.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use convex_wasm_values::id::IdError;
use convex_wasm_values::{DocumentId, InternalId, TableNumber};
use proptest::prelude::*;

fn id(table: u32, internal: [u8; 16]) -> DocumentId {
    DocumentId { table: TableNumber(table), internal: InternalId(internal) }
}

#[test]
fn ids_have_their_text() {
    let counting = std::array::from_fn(|position| position as u8);
    for (id, text) in [
        (id(10_001, counting), "j57000820c20a1g7104gm2rc1m70ynr8"),
        (id(10_001, [0xff; 16]), "j57fzzzzzzzzzzzzzzzzzzzzzzzzzkyr"),
        (id(540, counting), "kg2000820c20a1g7104gm2rc1m70y674"),
        (id(1, [0; 16]), "0400000000000000000000000000248"),
    ] {
        assert_eq!(id.to_string(), text);
        assert_eq!(text.parse(), Ok(id));
    }
}

#[test]
fn a_new_id_ends_with_its_day() {
    let id = InternalId::new([7; 14], 0x1234);
    assert_eq!(id.0[..14], [7; 14]);
    assert_eq!(id.0[14..], [0x12, 0x34]);
}

#[test]
fn decoding_is_strict() {
    let parse = |text: &str| text.parse::<DocumentId>().unwrap_err();
    let good = "j57000820c20a1g7104gm2rc1m70ynr8";
    assert_eq!(parse(""), IdError::Length(0));
    assert_eq!(parse(&good[..30]), IdError::Length(30));
    assert_eq!(parse(&good.to_uppercase()), IdError::Character('J'));
    assert_eq!(parse("j57o00820c20a1g7104gm2rc1m70ynr8"), IdError::Character('o'));
    assert_eq!(parse("j57é0820c20a1g7104gm2rc1m70ynr8"), IdError::Character('é'));
    assert_eq!(parse("j57100820c20a1g7104gm2rc1m70ynr8"), IdError::Checksum);
    // The last character has padding bits, which must be zero.
    assert_eq!(parse("j57000820c20a1g7104gm2rc1m70ynr9"), IdError::Checksum);
    assert!("00000000000000000000000000000000".parse::<DocumentId>().is_err());
}

proptest! {
    #[test]
    fn every_id_reads_back(table in 1u32.., internal in any::<[u8; 16]>()) {
        let id = id(table, internal);
        let text = id.to_string();
        prop_assert!((31..=37).contains(&text.len()));
        prop_assert_eq!(text.parse(), Ok(id));
    }

    #[test]
    fn what_reads_is_written_the_same(text in "[0-9a-hjkmnp-tv-z]{31,37}") {
        if let Ok(id) = text.parse::<DocumentId>() {
            prop_assert_eq!(id.to_string(), text);
        }
    }

    #[test]
    fn the_order_of_ids_of_a_table_is_the_order_of_their_texts(a in any::<[u8; 16]>(), b in any::<[u8; 16]>()) {
        prop_assert_eq!(id(10_001, a).to_string().cmp(&id(10_001, b).to_string()), a.cmp(&b));
    }
}
