//! What differs between two texts, line by line.

/// Lines around a change that are shown.
const AROUND: usize = 2;
/// Beyond this the lines between the first and the last change are not compared with each other.
const MOST: usize = 4_000_000;

/// Lines that go and come, with some around them.
pub(super) fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<(char, &str)> = old[..head].iter().map(|line| (' ', *line)).collect();
    lines.extend(middle(a, b));
    lines.extend(old[old.len() - tail..].iter().map(|line| (' ', *line)));
    shown(&lines)
}

fn middle<'t>(a: &[&'t str], b: &[&'t str]) -> Vec<(char, &'t str)> {
    let gone = a.iter().map(|line| ('-', *line));
    let come = b.iter().map(|line| ('+', *line));
    if a.len() * b.len() > MOST {
        return gone.chain(come).collect();
    }
    // The longest common lines behind each pair of places.
    let width = b.len() + 1;
    let mut common = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i * width + j] = if a[i] == b[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            lines.push((' ', a[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < a.len()
            && (j == b.len() || common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            lines.push(('-', a[i]));
            i += 1;
        } else {
            lines.push(('+', b[j]));
            j += 1;
        }
    }
    lines
}

fn shown(lines: &[(char, &str)]) -> String {
    let near = |at: usize| {
        let from = at.saturating_sub(AROUND);
        lines[from..lines.len().min(at + AROUND + 1)].iter().any(|(mark, _)| *mark != ' ')
    };
    let mut out = String::new();
    let mut skipped = false;
    for (at, (mark, line)) in lines.iter().enumerate() {
        if !near(at) {
            skipped = true;
            continue;
        }
        if skipped && !out.is_empty() {
            out.push_str("…\n");
        }
        skipped = false;
        out.push_str(&format!("{mark} {}\n", cut(line)));
    }
    out
}

/// A file can be one line of megabytes.
fn cut(line: &str) -> String {
    const LONGEST: usize = 600;
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn only_what_differs_is_shown() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\nx\n4\n5\n6\n7\n8\ny\n";
        assert_eq!(diff(old, new), "  2\n  3\n+ x\n  4\n  5\n…\n  7\n  8\n- 9\n+ y\n");
        assert_eq!(diff("", "a\n"), "+ a\n");
        assert_eq!(diff("a\n", "a\n"), "");
    }
}
