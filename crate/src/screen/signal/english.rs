//! The English rows of the lexicon.

use super::{Kind, Signal};

/// Phrases that hold a signal and are none.
pub const MASKS: &str = "not always|don't always|doesn't always|isn't always|not required|not necessarily|don't have to\
    |doesn't have to|not necessary|no need to|at first|first class|first-class|must-have|one of these\
    |each other|just in case|all right|after all|not all|not every|at all|as well|in order to|used to\
    |right click|use case|use cases|for example|such as|don't forget|do not forget|don't know\
    |do not know|don't think|don't see|don't understand|don't worry|i don't|we don't have|you don't\
    |they don't|make sense|if possible|as soon as|as long as|once you|that way|only if|not only\
    |one by one|source code|set up|feel free|as possible|in that case|in this case|so far so good\
    |break down|break it down|cause of|root cause|port of|that's it|that is it";

/// The rows, for lasting first.
pub const SIGNALS: &[Signal] = &[
    Signal {
        id: "en-standing",
        prior: 1.6,
        weight: 1.48,
        kind: Kind::Rule,
        negation_window: 12,
        #[cfg(test)]
        case: "From now on write the changelog first",
        words: "from now on|going forward|in future|in the future|for the future|as a rule|as a general rule\
                |every time|each time|whenever|before every|after every|before each|after each|at all times\
                |under no circumstances|no matter what|for each new|for every new|any time you|when you write\
                |when writing|when adding|when you add|before committing|before you commit|before pushing\
                |before merging|before any|before you push|permanently|long term|long-term|in every|across all\
                |across the project|throughout the|everywhere|everywhere else|project-wide|by convention\
                |our convention|the convention|remember that|remember to|please remember|keep in mind|for all future\
                |all future|for the rest of|by default we|as usual|standing rule|house rule|our policy|the policy\
                |policy is|rule of thumb|without exception|from here on|henceforth|if you ever|unless i ask\
                |unless i say|unless told|unless asked|unless i tell|without asking|ask me first|ask first\
                |ask before|wait for my|starting today|as of today|from today on|we agreed|as agreed|team agreed|requires that\
                |require that|insists that|ask me before|check with me|tell me before|talk to me before\
                |run it by me|i will do that myself",
    },
    Signal {
        id: "en-always",
        prior: 1.1,
        weight: 0.88,
        kind: Kind::Rule,
        negation_window: 12,
        #[cfg(test)]
        case: "Always pin the compiler",
        words: "always|never|we always|we never|never touch|never edit|never modify|not ever|ever again|never ever",
    },
    Signal {
        id: "en-rule-start",
        prior: 1.4,
        weight: 1.48,
        kind: Kind::Rule,
        negation_window: 0,
        #[cfg(test)]
        case: "Never rewrite published history",
        words: "^always|^never|^from now on|^going forward|^do not ever|^don't ever|^under no circumstances|^at all times\
                |^starting today|^from today|^as a rule|^by convention|^no one may|^nobody may",
    },
    Signal {
        id: "en-must",
        prior: 0.6,
        weight: 0.60,
        kind: Kind::Rule,
        negation_window: 8,
        #[cfg(test)]
        case: "Handlers must be pure",
        words: "must|mandatory|is required|are required|shall|have to be|has to be|must be|must always|required to",
    },
    Signal {
        id: "en-prohibit",
        prior: 0.6,
        weight: 0.62,
        kind: Kind::Rule,
        negation_window: 0,
        #[cfg(test)]
        case: "Do not touch the vendored code",
        words: "do not|don't|dont|do not touch|don't touch|dont touch|never touch|never edit|do not edit|don't edit|do not modify\
                |don't modify|never modify|must not be edited|must not be changed|do not ever|we don't use|we do not use|must not|mustn't|shall not|avoid|not allowed|forbidden|prohibited|no longer\
                |refrain|stop using|may not|not permitted|disallowed|banned|leave alone|hands off|off limits\
                |off-limits|should not|shouldn't|must never|should never|we don't want|i don't want|do not want\
                |don't want|don't ever|cannot use|can't use|is out of scope|out of scope|untouched|as is|let's not",
    },
    Signal {
        id: "en-hands-off",
        prior: 0.5,
        weight: 0.50,
        kind: Kind::Rule,
        negation_window: 0,
        #[cfg(test)]
        case: "Don't touch the vendored code",
        words: "do not touch|don't touch|dont touch|never touch|never edit|do not edit|don't edit|do not modify|don't modify\
                |never modify|hands off|off limits|off-limits|leave alone|stay out of|read-only|must not be edited\
                |must not be changed",
    },
    Signal {
        id: "en-should",
        prior: 0.1,
        weight: 0.32,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "Names should be short",
        words: "should|ought to|needs to be|need to be|needs to|supposed to",
    },
    Signal {
        id: "en-prefer",
        prior: 1.0,
        weight: 0.49,
        kind: Kind::Rule,
        negation_window: 6,
        #[cfg(test)]
        case: "I prefer small commits",
        words: "prefer|prefers|preferred|preference|favor|favour|i like|i'd rather|stick to|stick with|keep to\
                |i don't like|i hate|we like|we prefer|rather than|instead of|not a fan|i want you to always|opt for\
                |keep it simple|keep it minimal|as few|small and|minimal|myself|readability comes first|over clever",
    },
    Signal {
        id: "en-only",
        prior: 0.4,
        weight: 0.10,
        kind: Kind::Rule,
        negation_window: 0,
        #[cfg(test)]
        case: "Use only the standard library",
        words: "only|exclusively|solely|nothing but|strictly|nothing else",
    },
    Signal {
        id: "en-all",
        prior: 0.3,
        weight: 0.12,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "All dates are UTC",
        words: "all|every|any|each|everything|anything|entire|whole",
    },
    Signal {
        id: "en-we-use",
        prior: 1.2,
        weight: 1.00,
        kind: Kind::Choice,
        negation_window: 12,
        #[cfg(test)]
        case: "We use Postgres for storage",
        words: "we use|we only use|we always use|we're using|we are using|we will use|we'll use|i use|chose|chosen\
                |decided|we decided|decision|we picked|i picked|switch to|switching to|switched to|migrate to\
                |migrating to|migrated to|moving to|we're moving|settled on|standardize on|standardise on\
                |source of truth|like we do|the way we do|our stack|the stack|tech stack|our default|we are going to\
                |we're going to|we will be|we'll be|start moving|start using|from here we|we follow|we keep|we write|we name|we deploy|we test\
                |we never|we always|we don't use|we do not use|decided against|we rely on|we target|we support only|we only support",
    },
    Signal {
        id: "en-we-want",
        prior: 0.7,
        weight: 0.90,
        kind: Kind::Choice,
        negation_window: 12,
        #[cfg(test)]
        case: "Let's go with Redis",
        words: "we want to use|i want to use|want to use|let's go with|let's use|let's keep|let's stick|go with\
                |going with|choose|choose to use|pick|we want|should be used|to be used|replace with",
    },
    Signal {
        id: "en-made-of",
        prior: 0.8,
        weight: 0.97,
        kind: Kind::Choice,
        negation_window: 12,
        #[cfg(test)]
        case: "The CLI is written in Go",
        words: "built with|be built with|built on|written in|implemented in|powered by|deployed to|deployed on\
                |deploy to|hosted on|runs on|run on|stored in|lives in|live in|belongs in|belong in|handled by\
                |based on|backed by|should live|should be in|should go in|goes in|go in|put in\
                |should not be in|shouldn't be in|should not live|shall be put|should be put|should go to|shall live|must live in\
                |is kept in|are kept in|kept under|lives under|live under|should be built|built as|set up with|managed with\
                |managed by|served by|served from|written with|tested with|generated by|generated from|packaged with\
                |packaged as|released as|released through|is fixed at|are fixed at|is pinned to|are pinned to|is set to|is read from\
                |are read from|comes from|come from|goes to|go to|go through|goes through|are sent to|is sent to",
    },
    Signal {
        id: "en-use-start",
        prior: 0.7,
        weight: 0.73,
        kind: Kind::Choice,
        negation_window: 0,
        #[cfg(test)]
        case: "Use uv for packages",
        words: "^use|^using|^make sure you use|^make sure to use|^please use|^only use|^just use|^we use|^stick\
                |^prefer|^follow|^keep",
    },
    Signal {
        id: "en-rule-noun",
        prior: 0.6,
        weight: 0.46,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "Lint must pass in CI",
        words: "lint|linter|linting|format|formatter|formatting|code style|style guide|naming|naming convention\
                |convention|conventions|best practice|best practices|type hints|type hint|typing|commit message\
                |commit messages|commits|conventional commits|pull request|pull requests|prs|a pr|branch|branches\
                |main branch|force push|force-push|rebase|squash|unit tests|unit test|tests|test coverage|coverage\
                |dependencies|dependency|deps|boilerplate|hardcode|hard-code|hardcoded|hard-coded|magic numbers\
                |constants|comments|docstrings|docstring|error handling|exceptions|logging|ci|pipeline|changelog\
                |worktree|code review|principle|principles|dry|solid|kiss|yagni|tdd|secrets|credentials|migration\
                |migrations|generated files|generated code|lockfile|lock file|backwards compatible\
                |backward compatible|backwards compatibility|public api|english|chinese|reply in|answer in\
                |respond in|explain in|indentation|tabs|spaces|snake_case|camelcase|kebab-case",
    },
    Signal {
        id: "en-env",
        prior: 0.9,
        weight: 0.88,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "The token is in an environment variable",
        words: "environment variable|environment variables|env var|env vars|envar|envars|private repo|monorepo\
                |internal registry|registry|vpn|proxy|firewall|on this machine|my machine|this machine|our server\
                |the server is|production database|production|staging|read-only|this repo|this repository\
                |this project|our repo|the repo|the codebase|our codebase|this codebase|our team|the team|customers\
                |runs on port|port|localhost|no internet|offline|air-gapped|windows only|is installed|is deployed at\
                |open source|oss|license|licence|hardware|gpu|won't let us|won't let me|not let us\
                |the client requires|the customer requires|customer requires|client wants|compliance|legal\
                |security team|ops team|it department|budget|no internet access|no access to|has no access|cannot reach|can't reach\
                |is synced|are synced|synced from|is generated|are generated|vendored|third-party|upstream|on the build machine\
                |build machine|on the server|in the cluster|our cluster|behind a proxy",
    },
    Signal {
        id: "en-trap",
        prior: 1.2,
        weight: 1.72,
        kind: Kind::Trap,
        negation_window: 0,
        #[cfg(test)]
        case: "It hangs on a fresh install",
        words: "otherwise|or else|will fail|fails|break|breaks|will break|won't work|doesn't work|does not work\
                |only works|works only|doesn't support|does not support|don't support|not supported|unsupported\
                |silently|hang|hangs|crashes|crash|causes|cause|leads to|race condition|workaround|gotcha|gotchas\
                |beware|caveat|caveats|watch out|be careful|careful with|known issue|known bug|corrupted|corrupts\
                |too short|too long|times out|timeout|deadlock|deadlocks|leak|leaks|no-op|no-ops|quirk\
                |not guaranteed|not thread safe|stale|out of date|gets lost|is lost|get lost|overwrites|overwritten\
                |flaky|returns null|returns nothing|does nothing|ignores|is ignored|not enough|blocks|blocked|locked\
                |limit is|limited to|rate limit|can't build|no one else|nobody else",
    },
    Signal {
        id: "en-because",
        prior: 0.4,
        weight: 0.24,
        kind: Kind::Support,
        negation_window: 0,
        #[cfg(test)]
        case: "Skip it because the cache is stale",
        words: "because|since|cause it's|so that|due to|the reason|unless|without|the point|the whole point\
                |that's why|to avoid|to prevent|to be more|to keep|to reduce|to shrink|it would|would always\
                |would never|that way|in case",
    },
    Signal {
        id: "en-passing",
        prior: -0.9,
        weight: -0.86,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "Skip the docs for now",
        words: "for now|this time|right now|currently|today|tomorrow|tonight|yet|at the moment|temporarily\
                |just this once|this once|now|already|again|still|recently|later|at some point|eventually|finish\
                |finished|done|so far|this week|this sprint|this session|for this task|quick",
    },
    Signal {
        id: "en-sequence",
        prior: -0.5,
        weight: -0.08,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "Then open the file",
        words: "then|next|after that|afterwards|first|second|third|finally|once|meanwhile|step|phase|stage|proceed\
                |continue|when done|when you're done|when finished",
    },
    Signal {
        id: "en-deictic",
        prior: -0.5,
        weight: -0.52,
        kind: Kind::Pointing,
        negation_window: 0,
        #[cfg(test)]
        case: "This one is wrong",
        words: "this|that|these|those|here|there|above|below|following|the following|same|it|them|its|one|they|he",
    },
    Signal {
        id: "en-order-start",
        prior: -0.9,
        weight: -0.64,
        kind: Kind::Order,
        negation_window: 0,
        #[cfg(test)]
        case: "Fix the header",
        words: "^add|^fix|^update|^create|^implement|^make|^build|^write|^generate|^remove|^delete|^rename|^move\
                |^change|^refactor|^replace|^run|^read|^check|^review|^look|^find|^show|^explain|^tell|^give|^list\
                |^continue|^proceed|^commit|^push|^merge|^test|^debug|^investigate|^analyze|^analyse|^try|^help\
                |^adjust|^ensure|^set|^put|^turn|^convert|^apply|^edit|^install|^restart|^open|^finish|^based on\
                |^let me|^can you|^could you|^please|^i want you|^i need|^i want|^i'd like|^now|^let's|^locate\
                |^modify|^return|^enhance|^support|^address|^revert|^undo|^verify|^redo|^clean|^combine|^extract\
                |^include|^search|^start|^stop|^deploy|^design|^display|^allow|^pass|^call|^get|^go|^complete\
                |^optimize|^improve|^handle|^identify|^summarize|^summarise|^describe|^draft|^think",
    },
    Signal {
        id: "en-task",
        prior: -0.8,
        weight: -1.03,
        kind: Kind::Order,
        negation_window: 0,
        #[cfg(test)]
        case: "Make a plan and build it",
        words: "think hard|think ultra|ultra|think through|carefully|make a plan|the plan|a plan|design doc\
                |design spec|prd|spec|specs|go ahead|step by step|execute|the bug|this bug|a bug|the issue\
                |this issue|this file|this function|this test|that test|this change|this pr|the error|this error\
                |the fix|the code|the tests|my changes|these changes|your changes|the diff|existing code|implement\
                |implementation|refactor|the review|feedback|the doc|the docs|the readme|report",
    },
    Signal {
        id: "en-ui",
        prior: -0.7,
        weight: -0.60,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "The button opens a dialog",
        words: "button|buttons|page|pages|dialog|modal|popup|click|clicks|clicked|screen|column|columns|footer\
                |header|icon|icons|color|colour|row|rows|display|displayed|displays|show|shows|shown|tab|dropdown\
                |menu|sidebar|notification|navigate|ui|ux|layout|chart|player|game|select|selected|arrow|hover\
                |scroll|panel|toast|badge|widget",
    },
    Signal {
        id: "en-product",
        prior: -0.5,
        weight: -0.30,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "A user can edit the message",
        words: "user|users|the user|list|message|messages|view|form|input|output|flag|prompt|session|sessions|text\
                |title|label|image|images|filter|search|admin|login|feature|features|field|fields|results|json block\
                |account|profile|subscription|email|emails",
    },
    Signal {
        id: "en-tentative",
        prior: -0.8,
        weight: -0.36,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "Maybe we drop it",
        words: "maybe|perhaps|i think|seems|seem|hmm|hmmm|mmmk|wonder|wondering|could|would|might|probably|what if\
                |i guess|i'm not sure|not sure|looks like|presumably|not clear|can we|should we|do we|is it\
                |what about|how about|curious|either",
    },
    Signal {
        id: "en-advice",
        prior: -0.6,
        weight: -0.91,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "You can set it if you want",
        words: "if you want|if you prefer|if you need|if you set|if you'd like|you can|you may|you could|you might\
                |you need to|you'll need|you will need|your environment|your machine|your project|in your|for your\
                |recommended|recommendation|consider|suggest|suggestion|install with|for instance|note how|see also\
                |edge case|edge cases|best-effort\
                |must be installed|needs to be installed|be installed|in your active|your active|^optional|prerequisite\
                |prerequisites|you have to|quick start|getting started|make sure you have|once installed",
    },
    Signal {
        id: "en-if",
        prior: -0.2,
        weight: 0.08,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "If it is empty, skip it",
        words: "if|when|where|whether",
    },
    Signal {
        id: "en-report",
        prior: -0.9,
        weight: -1.05,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "I fixed the parser",
        words: "i fixed|i added|i ran|i got|i get|i see|i saw|i've|we've|it's|was|were|has been|have been|had|didn't\
                |failed|worked|works|got|found|confirmed|we are now|i'm|i am|is missing|are missing|is wrong|git log\
                |i tried|i tested|i noticed|you did|you didn't|you forgot|it is still|is not working|isn't working\
                |doesn't seem|still not|i have|here's|here is|there's|there is|there are",
    },
    Signal {
        id: "en-ack-start",
        prior: -0.8,
        weight: -0.32,
        kind: Kind::Passing,
        negation_window: 0,
        #[cfg(test)]
        case: "ok do it",
        words: "^ok|^okay|^yes|^yup|^yeah|^yep|^sure|^great|^thanks|^thank|^no|^nope|^hmm|^hmmm|^k|^so|^and|^but\
                |^also|^or|^good|^nice|^well|^perfect|^cool|^awesome|^right|^sorry|^oh|^ah|^uhh|^wait",
    },
];
