#pragma once

#include "report/term_colors.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace gpulint {

/// The look of the HTML report without the colours of terms: light and dark by the reader's
/// setting, one column on a phone.
inline constexpr std::string_view kPlainStyle = R"(
:root{--paper:#fff;--ink:#1a1d21;--faint:#5d6670;--line:#d8dde3;--panel:#f5f7f9;
--good:#166f3b;--good-bg:#e3f4ea;--thin:#8a5a00;--thin-bg:#fdf1d6;--bad:#b3261e;--bad-bg:#fde7e5;--link:#0b57a4}
@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ed;--faint:#9aa4af;--line:#343b44;--panel:#1e232a;
--good:#6fd49a;--good-bg:#15301f;--thin:#f0c060;--thin-bg:#352a10;--bad:#ff8f86;--bad-bg:#3d1a18;--link:#8ab8ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem 4rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}h3{font-size:1rem;margin:0}
p{margin:.3rem 0}.faint{color:var(--faint)}
code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.counts{display:flex;gap:.5rem;flex-wrap:wrap;margin:.8rem 0}
.count{padding:.15rem .7rem;border-radius:1rem;background:var(--panel);border:1px solid var(--line)}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:.5rem}
table{border-collapse:collapse;width:100%;font-size:.87rem}
th,td{padding:.45rem .6rem;border-bottom:1px solid var(--line);text-align:center;white-space:nowrap}
tr:last-child th,tr:last-child td{border-bottom:0}thead th{background:var(--panel);font-weight:600}
tbody th{text-align:left;font-weight:500;position:sticky;left:0;background:var(--paper)}
thead th:first-child{text-align:left;position:sticky;left:0}
.fits{background:var(--good-bg);color:var(--good)}.thin{background:var(--thin-bg);color:var(--thin)}
.over{background:var(--bad-bg);color:var(--bad)}.unknown{color:var(--faint)}
td small{display:block;color:var(--ink)}th small{color:var(--faint);font-weight:400}
th a{color:inherit}a:target,details:target{outline:2px solid var(--thin)}a{color:var(--link)}
details{border:1px solid var(--line);border-radius:.5rem;margin:.6rem 0;background:var(--paper)}
summary{cursor:pointer;padding:.6rem .8rem;display:flex;gap:.6rem;align-items:baseline;flex-wrap:wrap}
summary{list-style:none}summary::-webkit-details-marker{display:none}
summary::before{content:"\25b8";color:var(--faint)}details[open]>summary::before{content:"\25be"}
summary code{overflow-wrap:anywhere}.inside{padding:.2rem .8rem 1rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
.bar{position:relative;display:flex;height:1.7rem;background:var(--panel);border:1px solid var(--line);
border-radius:.25rem;margin:1.4rem 0 .5rem}
.bar>span{height:100%}.open>span{opacity:.45}.plain{margin:.6rem 0;padding:.6rem .8rem;border:1px solid var(--line);border-radius:.5rem;overflow-wrap:anywhere}.bar>i{position:absolute;top:-.35rem;bottom:-.35rem;border-left:2px solid var(--ink)}
.bar>i>b{position:absolute;top:-1.15rem;right:.2rem;white-space:nowrap;font:600 .72rem/1 system-ui,sans-serif}
.bar>u{position:absolute;bottom:-.45rem;height:.35rem;border:2px solid var(--faint);border-top:0;text-decoration:none}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;padding:0;margin:.9rem 0 .4rem;font-size:.85rem}
.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:.15rem;margin-right:.35rem;vertical-align:-.1rem}
svg{width:100%;height:auto;max-width:44rem;display:block;margin:.4rem 0}
svg text{fill:var(--faint);font:12px system-ui,sans-serif;paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}svg .limit{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:5 4}
svg .axis{stroke:var(--faint)}svg .pace{fill:none;stroke:var(--ink);stroke-width:2}
.verdict{padding:0 .3rem;border-radius:.2rem}.figures{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;margin:.4rem 0}
.back{font-size:.85rem}
.finding{border-left:3px solid var(--line);padding:.1rem 0 .1rem .8rem;margin:1rem 0}
.finding.error{border-color:var(--bad)}.finding.warning{border-color:var(--thin)}
.finding b.error{color:var(--bad)}.finding b.warning{color:var(--thin)}.finding b.note{color:var(--faint)}
pre{background:var(--panel);border-radius:.35rem;padding:.5rem .7rem;margin:.4rem 0;overflow-x:auto}
.finding ul{margin:.3rem 0;padding-left:1.1rem}
@media(max-width:40rem){svg text{font-size:17px}body{padding:1rem .6rem 3rem;font-size:14px}th,td{padding:.35rem .45rem}
tbody th,thead th:first-child{min-width:6.5rem;max-width:9rem;white-space:normal;overflow-wrap:anywhere}}
@media print{body{max-width:none;padding:0;font-size:11px}.scroll{overflow:visible;border:0}.back,summary::before{display:none}
.finding,svg,.bar,.legend{break-inside:avoid}h2,summary{break-after:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}tbody th,thead th:first-child{position:static}}
)";

/// All of it: each term of memory has one colour in every picture.
inline std::string html_style() {
  std::string style(kPlainStyle);
  for (std::size_t i = 0; i < kTermColors.size(); ++i) {
    style += fmt::format(".t{0}{{background:{1};fill:{1}}}", i, kTermColors[i]);
  }
  return style;
}

}  // namespace gpulint
