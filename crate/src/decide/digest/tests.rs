#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

use super::cluster::{Distances, PAGE_MAX, clusters, linked, pages};
use super::space::Space;
use crate::fake::FakeRandom;

/// Points of small whole numbers near some centres.
fn points(seed: u64, n: usize) -> Vec<Vec<i8>> {
    let random = FakeRandom::from_seed(seed);
    let number = |span: u64| (random.next() % span) as i64;
    let centres: Vec<Vec<i64>> = (0..5)
        .map(|_| (0..8).map(|_| number(201) - 100).collect())
        .collect();
    (0..n)
        .map(|_| {
            let centre = &centres[number(5) as usize];
            centre
                .iter()
                .map(|x| (x + number(61) - 30).clamp(-127, 127) as i8)
                .collect()
        })
        .collect()
}

fn measured(space: &Space, n: usize) -> Distances {
    let mut distances = Distances::of(n);
    while distances.measure(&|a, b| space.like(a, b)) {}
    distances
}

/// The plain way: merge the nearest pair until none is near enough.
fn plain(distances: &Distances, n: usize, threshold: f64) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = (0..n).map(|at| vec![at]).collect();
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                let pairs = groups[a]
                    .iter()
                    .flat_map(|x| groups[b].iter().map(move |y| (*x, *y)));
                let all: Vec<f64> = pairs.map(|(x, y)| f64::from(distances.get(x, y))).collect();
                let mean = all.iter().sum::<f64>() / all.len() as f64;
                if best.is_none_or(|(least, _, _)| mean < least) {
                    best = Some((mean, a, b));
                }
            }
        }
        match best {
            Some((mean, a, b)) if mean <= threshold => {
                let gone = groups.remove(b);
                groups[a].extend(gone);
            }
            _ => break,
        }
    }
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort();
    groups
}

#[test]
fn the_chain_finds_what_merging_the_nearest_pair_finds() {
    for seed in 0..24 {
        let n = 6 + (seed as usize * 5) % 50;
        let space = Space::of_vectors(points(seed, n));
        let distances = measured(&space, n);
        let tree = linked(&distances, (0..n).collect());
        for threshold in [0.05, 0.15, 0.35, 0.6] {
            let mut found = tree.cut(threshold);
            found.sort();
            assert_eq!(
                found,
                plain(&distances, n, threshold),
                "seed {seed}, {threshold}"
            );
        }
    }
}

#[test]
fn the_order_of_points_changes_no_cluster() {
    for seed in 200..216 {
        let n = 40;
        let all = points(seed, n);
        let random = FakeRandom::from_seed(seed);
        let mut order: Vec<usize> = (0..n).collect();
        for at in (1..n).rev() {
            order.swap(at, random.next() as usize % (at + 1));
        }
        let shuffled: Vec<Vec<i8>> = order.iter().map(|at| all[*at].clone()).collect();
        let plain = |all: Vec<Vec<i8>>, name: &dyn Fn(usize) -> usize| {
            let distances = measured(&Space::of_vectors(all), n);
            let named = |group: Vec<usize>| {
                let mut group: Vec<usize> = group.into_iter().map(name).collect();
                group.sort_unstable();
                group
            };
            let found = linked(&distances, (0..n).collect()).cut(0.35);
            let mut out: Vec<Vec<usize>> = found.into_iter().map(named).collect();
            out.sort();
            out
        };
        assert_eq!(
            plain(all, &|at| at),
            plain(shuffled, &|at| order[at]),
            "seed {seed}"
        );
    }
}

#[test]
fn a_larger_distance_only_joins_clusters() {
    for seed in 100..112 {
        let space = Space::of_vectors(points(seed, 60));
        let tree = linked(&measured(&space, 60), (0..60).collect());
        let cuts = [0.1, 0.2, 0.35, 0.7].map(|threshold| tree.cut(threshold));
        for pair in cuts.windows(2) {
            for small in &pair[0] {
                let is_inside = |big: &Vec<usize>| small.iter().all(|at| big.contains(at));
                assert!(pair[1].iter().any(is_inside), "seed {seed}");
            }
        }
    }
}

#[test]
fn an_average_is_what_counts_and_the_threshold_is_part_of_it() {
    // 0 and 1 at a distance of 0.2; 2 at 0.4 of the first and 0.6 of the second, so 0.5 of both on average.
    let like = |a: usize, b: usize| match (a.min(b), a.max(b)) {
        (0, 1) => 0.8,
        (0, 2) => 0.6,
        _ => 0.4,
    };
    let mut distances = Distances::of(3);
    while distances.measure(&like) {}
    let tree = linked(&distances, vec![0, 1, 2]);
    assert_eq!(tree.cut(0.19), [vec![0], vec![1], vec![2]]);
    assert_eq!(tree.cut(0.2), [vec![0, 1], vec![2]]);
    assert_eq!(tree.cut(0.49), [vec![0, 1], vec![2]]);
    assert_eq!(tree.cut(0.5), [vec![0, 1, 2]]);
}

#[test]
fn what_says_nearly_the_same_counts_once_and_a_large_cluster_is_cut_finer() {
    let near = |x: i8| vec![100, x, 0];
    let space = Space::of_vectors(vec![near(0), near(1), near(60), near(61), vec![0, 0, 90]]);
    assert_eq!(measured(&space, 5).firsts(), [0, 2, 4]);
    // Fourteen of one kind, seven and seven of two finer ones.
    let kin: Vec<Vec<i8>> = (0..14)
        .map(|at| {
            let mut point = vec![0i8; 17];
            point[0] = 100;
            point[1 + at / 7] = 60;
            point[3 + at] = 40;
            point
        })
        .collect();
    let space = Space::of_vectors(kin);
    let sizes = |found: Vec<Vec<usize>>| found.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(sizes(clusters(&space, 14, 0.35, 0.35)), [14]);
    assert_eq!(sizes(clusters(&space, 14, 0.35, 0.25)), [7, 7]);
    // Twelve are not too many.
    assert_eq!(sizes(clusters(&space, 12, 0.35, 0.25)), [12]);
}

#[test]
fn a_question_holds_a_page_and_pages_are_of_nearly_one_size() {
    for n in 1..200 {
        let cluster: Vec<usize> = (0..n).collect();
        let sizes: Vec<usize> = pages(&cluster).map(<[usize]>::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), n);
        assert!(sizes.iter().all(|size| *size <= PAGE_MAX), "{n}: {sizes:?}");
        assert!(
            n < 5 || sizes.iter().all(|size| *size > 4),
            "{n}: {sizes:?}"
        );
    }
}

/// Statements about one thing each, in two languages, with others between them.
const THEMES: [&[&str]; 4] = [
    &[
        "Mara drinks green tea every morning.",
        "Mara orders tea instead of coffee in meetings.",
        "Mara keeps three kinds of tea in her desk.",
        "Mara asks for tea with lunch.",
        "Mara brings her own tea when she travels.",
    ],
    &[
        "Deploys to production happen on Tuesday mornings.",
        "A deploy to production needs two approvals.",
        "The team never deploys to production on Fridays.",
        "Production deploys are announced in the release channel.",
    ],
    &[
        "小林每天早上跑步五公里。",
        "小林周末参加跑步比赛。",
        "小林出差也带着跑步鞋。",
        "小林跑步时听播客。",
    ],
    &[
        "前端项目用 pnpm 安装依赖。",
        "前端项目的依赖升级由 pnpm 统一管理。",
        "前端项目的 CI 缓存 pnpm 的依赖目录。",
        "前端项目用 pnpm 运行脚本。",
    ],
];
const OTHERS: [&str; 10] = [
    "The office closes at six.",
    "Ines has two brothers.",
    "The car is parked behind the library.",
    "Jonas plays the cello on Sundays.",
    "The invoice is due at the end of the month.",
    "会议室在三楼。",
    "护照放在书桌的抽屉里。",
    "阿杰喜欢看老电影。",
    "The heating was repaired in October.",
    "数据库备份保存三十天。",
];

/// Returns how many themes come out as one cluster of at least four, and how many clusters of at least four mix themes.
fn themes(distance: f64) -> (usize, usize) {
    let mut texts: Vec<(&str, usize)> = Vec::new();
    for (theme, all) in THEMES.iter().enumerate() {
        texts.extend(all.iter().map(|text| (*text, theme)));
    }
    texts.extend(
        OTHERS
            .iter()
            .enumerate()
            .map(|(at, text)| (*text, 100 + at)),
    );
    let plain: Vec<&str> = texts.iter().map(|x| x.0).collect();
    let found = clusters(&Space::of_texts(&plain), texts.len(), distance, distance);
    let large = found.iter().filter(|cluster| cluster.len() >= 4);
    let (mut whole, mut mixed) = (0, 0);
    for cluster in large {
        let first = texts[cluster[0]].1;
        if cluster.iter().all(|at| texts[*at].1 == first) {
            whole += 1;
        } else {
            mixed += 1;
        }
    }
    (whole, mixed)
}

#[test]
fn by_words_alone_themes_come_out_and_do_not_mix() {
    let rules = super::Rules::default();
    for distance in [0.78, rules.lexical_distance, 0.94] {
        assert_eq!(themes(distance), (4, 0), "{distance}");
    }
    assert_eq!(themes(0.95), (3, 1));
    // At the distance for vectors nothing would be found.
    assert_eq!(themes(rules.cluster_distance), (0, 0));
}
