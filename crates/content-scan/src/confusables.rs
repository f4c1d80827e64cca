//! Characters with which an id can imitate another one.
//!
//! The table follows the confusables of Unicode Technical Standard 39 and is larger than
//! [`looks_like`]. A finding about a path or a command must be a deliberate trick, so characters
//! that are only somewhat alike don't count there. An agent's name, however, must not pass for the
//! governor's even by such a letter.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use text_safety::confusables::looks_like;

/// Characters by the ASCII character, in lower case, that they can imitate.
#[rustfmt::skip]
const PASSES: &[(char, &str)] = &[
    // Cyrillic.
    ('3', "зЗ"),
    ('4', "чҹӌЧ"),
    ('a', "ӑӓД"),
    ('b', "вбьъѣҍꙑБЬ"),
    ('c', "ҫҁ"),
    ('d', "ԃ"),
    ('e', "єѐёӗҽҿЄ"),
    ('f', "ғҒ"),
    ('g', "дԍ"),
    ('h', "нңҥӊӈћђԧ"),
    ('i', "їꙇ"),
    ('j', "ꚃ"),
    ('k', "кқҝҟҡӄ"),
    ('m', "мӎ"),
    ('n', "пҧԥлӆЛП"),
    ('o', "ѳөӫӧѲӨ"),
    ('q', "ԛ"),
    ('r', "гяГЯ"),
    ('s', "ѕꙅ"),
    ('t', "тҭꚍ"),
    ('u', "ийѝИ"),
    ('v', "ѵѷѴ"),
    ('w', "ѡѿѽшԝШѠ"),
    ('x', "ҳӽӿ"),
    ('y', "үұӳӱӯўҮҰ"),
    // Greek.
    ('a', "ΔΛ"),
    ('b', "βϐ"),
    ('c', "ςϛ"),
    ('e', "εϵξΣ"),
    ('f', "ϝϜ"),
    ('k', "ϰϗ"),
    ('l', "λ"),
    ('n', "η"),
    ('o', "θσφϑϕΘΦϘϙ"),
    ('p', "ϱϸϼ"),
    ('r', "Γ"),
    ('u', "μ"),
    ('w', "ωϖ"),
    ('y', "γɣ"),
    ('z', "ζ"),
    // Armenian.
    ('2', "շջՉ"),
    ('3', "Յ"),
    ('8', "Ց"),
    ('c', "Շ"),
    ('d', "ժձճ"),
    ('e', "ԵԷ"),
    ('i', "ւ"),
    ('i', "Ւ"),
    ('j', "յ"),
    ('j', "Ձ"),
    ('l', "լ"),
    ('l', "Լ"),
    ('m', "տ"),
    ('m', "Պ"),
    ('n', "դըղռ"),
    ('n', "Ռ"),
    ('o', "ծ"),
    ('o', "Օ"),
    ('p', "բթրփք"),
    ('q', "գ"),
    ('q', "ԳԶ"),
    ('r', "Հ"),
    ('s', "չֆ"),
    ('s', "Տ"),
    ('t', "եէ"),
    ('u', "խկմպվ"),
    ('u', "ՍՈԱԿ"),
    ('w', "ա"),
    // Cherokee, capital and small.
    ('4', "Ꮞꮞ"),
    ('6', "Ꮾꮾ"),
    ('a', "Ꭺꭺ"),
    ('b', "ᏏᏰᏴꮟᏸᏼ"),
    ('c', "ᏟᏨꮯꮸ"),
    ('d', "ᎠᏧꭰꮷ"),
    ('e', "Ꭼꭼ"),
    ('f', "Ꮀꮀ"),
    ('g', "ᎶᏀᏣᏳꮆꮐꮳᏻ"),
    ('h', "ᎻᏁᏂᏥꮋꮑꮒꮵ"),
    ('i', "ᎥᏆꭵꮖ"),
    ('j', "ᎫᏗᏘꭻꮧꮨ"),
    ('k', "Ꮶꮶ"),
    ('l', "ᏝᏞꮭꮮ"),
    ('m', "Ꮇꮇ"),
    ('n', "Ꮕꮕ"),
    ('o', "ᎭᎮᎾᏫᏬꭽꭾꮎꮻꮼ"),
    ('p', "Ꮲꮲ"),
    ('r', "ᎡᎱᏒꭱꮁꮢ"),
    ('s', "ᏕᏚꮥꮪ"),
    ('t', "Ꭲꭲ"),
    ('v', "ᏙᏤꮩꮴ"),
    ('w', "ᎳᏇᏊᏔᏛꮃꮗꮚꮤꮫ"),
    ('y', "ᎩᎽꭹꮍ"),
    ('z', "Ꮓꮓ"),
    // Lisu.
    (',', "ꓹ"),
    ('-', "꓾"),
    ('.', "ꓸ"),
    (':', "ꓽ"),
    ('=', "꓿"),
    ('a', "ꓥꓮꓯ"),
    ('b', "ꓐꓭ"),
    ('c', "ꓚꓛ"),
    ('d', "ꓒꓓꓷ"),
    ('e', "ꓰꓱ"),
    ('f', "ꓝꓞ"),
    ('g', "ꓖꓨ"),
    ('h', "ꓧ"),
    ('j', "ꓙ"),
    ('k', "ꓗꓘ"),
    ('l', "ꓡꓲꓶ"),
    ('m', "ꓟ"),
    ('n', "ꓠ"),
    ('o', "ꓳ"),
    ('p', "ꓑ"),
    ('r', "ꓣꓤꓩ"),
    ('s', "ꓢ"),
    ('t', "ꓔꓕ"),
    ('u', "ꓴꓵ"),
    ('v', "ꓦ"),
    ('w', "ꓪ"),
    ('x', "ꓫ"),
    ('y', "ꓬ"),
    ('z', "ꓜ"),
    // Coptic.
    ('.', "⳽"),
    ('2', "ϩϨ"),
    ('6', "ϭϬ"),
    ('9', "Ⳋⳋ"),
    ('a', "ⲀⲆⲁⲇ"),
    ('b', "Ⲃⲃϧ"),
    ('c', "Ⲥⲥ"),
    ('e', "Ⲉⲉ"),
    ('h', "Ⲏⲏ"),
    ('i', "Ⲓⲓ"),
    ('k', "Ⲕⲕ"),
    ('l', "ⲖⳐⲗⳑ"),
    ('m', "Ⲙⲙ"),
    ('n', "ⲚⲠⲛⲡ"),
    ('o', "ⲐⲞⲪⳜⲑⲟⲫⳝ"),
    ('p', "ⲢⳀⲣⳁ"),
    ('q', "ϥϤ"),
    ('r', "Ⲅⲅ"),
    ('t', "ⲦⲧϯϮ"),
    ('w', "ⲰⲱϣϢ"),
    ('x', "Ⲭⲭϫ"),
    ('y', "Ⲩⲩ"),
    ('z', "ⲌⲜⲍⲝ"),
    // Small capitals and other Latin letters.
    ('5', "ƽƼ"),
    ('a', "ᴀɐɒɅ"),
    ('b', "ʙᴃƅɓƃƀƄ"),
    ('c', "ᴄɔɕƆ"),
    ('d', "ᴅᴆɗɖƌđ"),
    ('e', "ᴇɛǝɘɜƎƩƐ"),
    ('f', "ꜰƒꬵ"),
    ('g', "ɢɠǥᶃ"),
    ('h', "ʜħɦɥ"),
    ('i', "ɪɩɨᴉƖ"),
    ('j', "ᴊȷɟɉʝ"),
    ('k', "ᴋƙᶄʞ"),
    ('l', "ʟᴌꞁɭɫƚłᶅ"),
    ('m', "ᴍʍɱᶆᴟ"),
    ('n', "ɴᴎɲŋɳᶇ"),
    ('o', "ᴏᴑᴐɵɸøƟ"),
    ('p', "ᴘƥᵽᶈ"),
    ('q', "ꞯɋʠ"),
    ('r', "ʀᴙɹɾɼɽɍꭇꭈᶉᴚʁƦ"),
    ('s', "ꜱʂƨʃᶊƧ"),
    ('t', "ᴛŧƭʈȶʇƮ"),
    ('u', "ᴜʉꭎꭒʊᵾᴝ"),
    ('v', "ᴠʋᶌʌᴧ"),
    ('w', "ᴡɯƜ"),
    ('x', "ꭓꭕᶍ"),
    ('y', "ʏƴɏʎꭚƔ"),
    ('z', "ᴢƶʐȥɀʑᶎ"),
    // Other scripts.
    ('!', "ⵑ"),
    ('2', "ᒿ"),
    ('8', "৪੪𐌚"),
    ('9', "୨৭൭"),
    ('a', "ᗅᗩ𐌀𐊠"),
    ('b', "ᑲᖯᗷᛒ𐌁𐊂𐊡"),
    ('c', "𐐕𐐽ᑕ𐌂𐊢"),
    ('d', "ᑯᗞᗪ"),
    ('e', "ⴹᗴ𐊆"),
    ('f', "ᖴ𐊇𐊥"),
    ('h', "ᕼᚺ𐋏"),
    ('i', "ⵊ"),
    ('j', "ᒍ"),
    ('k', "ᛕ"),
    ('l', "\u{5d5}\u{5df}\u{627}\u{7ca}\u{671}ⵏ𐐛ᒪᛁᛚ𐌉𐌠𐊊ㅣ"),
    ('m', "ഹᗰᛖ𐌌𐌑𐊰"),
    ('n', "ᑎ"),
    ('o', "\u{5e1}\u{647}\u{665}۵\u{7c0}०০੦૦୦ଠ௦౦೦ഠ൦๐໐ဝ၀ჿⵔⵕⵙ𐐄𐐬𐓂𐓪𐌏𐊒𐊫ㅇ"),
    ('p', "𐓑ᑭ𐊕"),
    ('r', "ᖇᚱ"),
    ('s', "ഽ𐐠𐑈𐊖"),
    ('t', "ᛏ𐌕𐊗𐊱"),
    ('u', "ⵡ𐓎𐓶ᑌ"),
    ('v', "ᐯ"),
    ('w', "ᗯ"),
    ('x', "ⵝᕁᕽ᙭ᚷ𐌗𐊴"),
    ('y', "ყ𐊲"),
    ('z', "ᙆᘔ𐋵"),
    // Punctuation.
    ('!', "ǃ！"),
    ('"', "ʺ“”‟″‶„\u{5f4}"),
    ('#', "♯⌗"),
    ('&', "ꝸ"),
    ('\'', "’‘‛ʹʻʼʽʾʿˈˊˋ′‵´΄՚՝\u{5f3}\u{7f4}\u{7f5}ꞌ"),
    ('(', "❨"),
    (')', "❩"),
    ('*', "∗⁎\u{66d}⚹"),
    ('+', "➕᛭"),
    (',', "‚\u{66b}\u{60d}¸"),
    ('-', "⁃˗➖ⲻᐨ‧─━"),
    ('.', "․\u{6d4}\u{701}\u{702}\u{660}۰꘎\u{10a50}"),
    ('/', "╱⟋〳ⳇ⁄"),
    (':', "∶ː˸꞉\u{5c3}։⁚\u{703}\u{704}\u{903}\u{a83}᛬᠃"),
    (';', "\u{61b}"),
    ('=', "═"),
    ('?', "Ɂ"),
    ('@', "﹫"),
    ('\\', "∖⟍⧵╲⧹"),
    ('_', "ˍ\u{7fa}"),
    ('|', "∣│┃❘⏐\u{5c0}"),
    ('~', "⁓∼˜῀"),
];

/// Returns the lower-case ASCII character that `c` can imitate in a name, including the ones of
/// [`looks_like`].
#[must_use]
pub fn passes_for(c: char) -> Option<char> {
    static TABLE: LazyLock<FxHashMap<char, char>> = LazyLock::new(|| {
        PASSES
            .iter()
            .flat_map(|(ascii, others)| others.chars().map(|other| (other, *ascii)))
            .collect()
    });
    if c.is_ascii() {
        return None;
    }
    let enclosed = |from: u32| char::from_u32(u32::from(b'a') + (u32::from(c) - from));
    match c {
        '\u{1f150}'..='\u{1f169}' => enclosed(0x1f150),
        '\u{1f170}'..='\u{1f189}' => enclosed(0x1f170),
        '\u{1f1e6}'..='\u{1f1ff}' => enclosed(0x1f1e6),
        _ => looks_like(c).or_else(|| TABLE.get(&c).copied()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_character_passes_for_one_of_ascii() {
        let mut met = std::collections::HashSet::new();
        for (ascii, others) in PASSES {
            assert!(
                ascii.is_ascii_graphic() && !ascii.is_ascii_uppercase(),
                "{ascii}"
            );
            for other in others.chars() {
                assert!(!other.is_ascii() && met.insert(other), "{other}");
                assert!(passes_for(other).is_some_and(|c| c.is_ascii()), "{other}");
            }
        }
        for (other, ascii) in [
            ('г', 'r'),
            ('ь', 'b'),
            ('\u{ab70}', 'd'),
            ('ꓳ', 'o'),
            ('ⲟ', 'o'),
            ('ᴄ', 'c'),
            ('∶', ':'),
            ('’', '\''),
            ('🅲', 'c'),
        ] {
            assert_eq!(passes_for(other), Some(ascii), "{other}");
        }
        assert_eq!(passes_for('é'), None);
    }
}
