// markdown-it: a whole parser and renderer.
import MarkdownIt from "markdown-it";

const text = `# Title *with* emphasis

A paragraph with **bold**, _italic_, \`code\`, ~~gone~~, a [link](https://example.com "title"), an ![image](a.png) and <b>html</b>.
Autolink: https://example.com/path?q=1 and mail@example.com. Quotes "double" and 'single' -- dashes... (c)

> quoted
> > nested

1. one
2. two
   - inner
   - list

     with a paragraph

| a | b |
|:--|--:|
| 1 | 2 |
| \`x|y\` | **z** |

\`\`\`js
const a = 1 < 2 && "x";
\`\`\`

    indented code

Term[^1] \\*escaped\\* &amp; &copy; &#x41; 🎉 \u{1F600}
***
[ref]: http://example.org
See [ref] and [missing].
Hard  
break\\
here
`;
console.log(new MarkdownIt().render(text));
console.log(new MarkdownIt({ html: true, linkify: true, typographer: true, breaks: true, xhtmlOut: true }).render(text));
console.log(new MarkdownIt("commonmark").renderInline("a *b* **c**"));
const md = new MarkdownIt({ highlight: (code, lang) => `<pre data-lang="${lang}">${code.toUpperCase()}</pre>` });
md.renderer.rules.em_open = () => "<i>";
md.renderer.rules.em_close = () => "</i>";
md.core.ruler.push("count", (state) => { state.env.tokens = state.tokens.length; });
const env = {};
console.log(md.render(text, env), env.tokens);
console.log(JSON.stringify(md.parse("- a\n- b", {}).map((t) => [t.type, t.tag, t.nesting, t.level, t.map])));
console.log(md.render("*".repeat(200) + "a" + "*".repeat(200)).length, md.render("[".repeat(500)).length);
