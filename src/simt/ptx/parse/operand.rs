//! Operands: registers, literals, addresses, vectors.

use super::body::Body;
use super::cursor::{Cursor, integer};
use crate::ptx::lex::Token;
use crate::ptx::{Address, Base, Operand, PtxError};

/// An integer or a float literal, perhaps negative.
pub(super) fn literal(cursor: &mut Cursor<'_>) -> Result<Operand, PtxError> {
    let negative = cursor.take(b'-');
    let Some(Token::Number(digits)) = cursor.peek().map(|l| l.token) else {
        return Err(cursor.unexpected("a number"));
    };
    let bits = |prefix: [&str; 2]| {
        let hex = prefix.iter().find_map(|p| digits.strip_prefix(p))?;
        u64::from_str_radix(hex, 16).ok()
    };
    let operand = if let Some(bits) = bits(["0f", "0F"]) {
        Operand::Single(bits as u32 ^ u32::from(negative) << 31)
    } else if let Some(bits) = bits(["0d", "0D"]) {
        Operand::Double(bits ^ u64::from(negative) << 63)
    } else if let Some(value) = integer(digits) {
        Operand::Int(if negative {
            (value as i64).wrapping_neg()
        } else {
            value as i64
        })
    } else if let Ok(value) = digits.parse::<f64>() {
        Operand::Double(if negative { -value } else { value }.to_bits())
    } else {
        return Err(cursor.unexpected("a number"));
    };
    cursor.next();
    Ok(operand)
}

/// One operand of an instruction.
pub(super) fn operand(cursor: &mut Cursor<'_>, body: &mut Body) -> Result<Operand, PtxError> {
    match cursor.peek().map(|l| l.token) {
        Some(Token::Mark(b'[')) => address(cursor, body).map(Operand::Address),
        Some(Token::Mark(b'{')) => {
            cursor.next();
            list(cursor, body, b'}').map(Operand::Vector)
        }
        Some(Token::Mark(b'(')) => {
            cursor.next();
            list(cursor, body, b')').map(Operand::List)
        }
        Some(Token::Mark(b'!')) => {
            cursor.next();
            match operand(cursor, body)? {
                Operand::Reg(reg) => Ok(Operand::NotReg(reg)),
                _ => Err(cursor.unexpected("a predicate")),
            }
        }
        Some(Token::Word("_")) => {
            cursor.next();
            if !cursor.take(b'|') {
                return Ok(Operand::Sink);
            }
            match operand(cursor, body)? {
                Operand::Reg(second) => Ok(Operand::Second(second)),
                _ => Err(cursor.unexpected("a second register")),
            }
        }
        Some(Token::Word(word)) => {
            cursor.next();
            let operand = body.resolve(word);
            if let (Operand::Reg(reg), true) = (&operand, cursor.take(b'|')) {
                let second = match cursor.next().map(|l| l.token) {
                    Some(Token::Word(word)) => body.resolve(word),
                    _ => return Err(cursor.unexpected("a second register")),
                };
                return match second {
                    Operand::Reg(second) => Ok(Operand::Pair(*reg, second)),
                    _ => Ok(operand),
                };
            }
            if let (Operand::Symbol(_), true) = (&operand, cursor.take(b'+')) {
                return Err(cursor.unexpected("an instruction without address arithmetic"));
            }
            Ok(operand)
        }
        _ => literal(cursor),
    }
}

fn list(cursor: &mut Cursor<'_>, body: &mut Body, close: u8) -> Result<Vec<Operand>, PtxError> {
    let mut items = Vec::new();
    while !cursor.take(close) {
        items.push(operand(cursor, body)?);
        if !cursor.take(b',') {
            cursor.expect(close)?;
            break;
        }
    }
    Ok(items)
}

/// `[%rd1+-8]`, `[name+4]`, `[16]`, `[%rd1, {%r1, %r2}]`
fn address(cursor: &mut Cursor<'_>, body: &mut Body) -> Result<Address, PtxError> {
    cursor.expect(b'[')?;
    let base = match cursor.peek().map(|l| l.token) {
        Some(Token::Word(word)) => {
            cursor.next();
            match body.resolve(word) {
                Operand::Reg(reg) => Base::Reg(reg),
                Operand::Symbol(name) => Base::Symbol(name),
                _ => return Err(cursor.unexpected("an address")),
            }
        }
        _ => Base::Zero,
    };
    let plus = base == Base::Zero || cursor.take(b'+');
    let next_is_minus = cursor.peek().is_some_and(|l| l.token == Token::Mark(b'-'));
    let offset = if plus || next_is_minus {
        match literal(cursor)? {
            Operand::Int(value) => value,
            _ => return Err(cursor.unexpected("a whole offset")),
        }
    } else {
        0
    };
    let mut coordinates = Vec::new();
    if cursor.take(b',') {
        cursor.expect(b'{')?;
        coordinates = list(cursor, body, b'}')?;
    }
    cursor.expect(b']')?;
    Ok(Address {
        base,
        offset,
        coordinates,
    })
}
