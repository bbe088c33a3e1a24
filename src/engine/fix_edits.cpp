// A fix sets facts to canonical values; a config spells them its own way. An edit replaces the
// bytes of one value, writes a key the dialect puts beside a stated one, or takes a key out. What
// is not plainly invertible is left to the reader: no edit, the advice stays, and the reason is
// kept.

#include "engine/finding_builder.h"
#include "engine/fix_member.h"
#include "engine/fix_place.h"
#include "engine/fix_spelling.h"
#include "plan/fact_table.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

std::string canonical_of(const expr::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value.data)) return *flag ? "true" : "false";
  if (const std::string* text = std::get_if<std::string>(&value.data)) return *text;
  if (const double* number = std::get_if<double>(&value.data)) return fmt::format("{}", *number);
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return fmt::format("{}", *count);
  return {};
}

/// One set of changes being written.
class FixWriter {
 public:
  explicit FixWriter(const SubjectEnvironment& environment)
      : environment_(environment), subject_(environment.subject()) {}

  Result<WrittenFix> write(const FixSet& set) {
    if (subject_.document == nullptr || subject_.dialect == nullptr) {
      return fail("the config's text is not at hand");
    }
    for (const auto& [fact, expression] : set.set) wanted_.push_back(fact);
    for (const auto& [fact, expression] : set.set) {
      const Observation* item = environment_.item();
      if (item != nullptr && !item->fact.empty() && item->fact != fact) continue;
      const expr::Value value = expression.evaluate(environment_);
      if (!value.known()) return fail(fmt::format("the right {} is not known", fact));
      if (auto done = change(fact, canonical_of(value)); !done) return fail(done.error());
    }
    for (const std::string& fact : set.remove) {
      if (auto done = take_out(fact); !done) return fail(done.error());
    }
    if (written_.edits.empty()) return fail("the config says so already");
    return std::move(written_);
  }

 private:
  const Document& document() const { return *subject_.document; }

  const Provenance* origin_of(std::string_view fact) const {
    const FactRow* row = find_fact(fact);
    return row == nullptr ? nullptr : provenance_of(environment_.facts(), *row);
  }

  Result<void> change(const std::string& fact, const std::string& value) {
    const FactRow* row = find_fact(fact);
    const Provenance* from = origin_of(fact);
    if (row == nullptr) return fail(fmt::format("{} is not a fact", fact));
    if (from == nullptr || from->origin == Origin::dialect_default ||
        from->origin == Origin::model || from->origin == Origin::assumed) {
      return insert(fact, value);
    }
    switch (from->origin) {
      case Origin::stated:
        return replace(fact, value, *from);
      case Origin::derived:
        return follow(fact, value, *row);
      case Origin::project:
      case Origin::code:
        return fail(fmt::format("{} is stated outside of the config", fact));
      case Origin::dialect_default:
      case Origin::model:
      case Origin::assumed:
        break;
    }
    return {};
  }

  /// A derived fact follows from those it is made of; that it comes out right is checked when the
  /// fix is applied.
  Result<void> follow(const std::string& fact, const std::string& value, const FactRow& row) {
    const bool alone = wanted_.size() == 1;
    if (alone) return fail(fmt::format("{} follows from other keys", fact));
    if (canonical_text(environment_.facts(), row) != value) {
      written_.changes.push_back({fact, value});
    }
    return {};
  }

  /// A fact of another key that is read from the same bytes, through a reference.
  std::string also_stated_at(const SourceSpan& span, std::string_view fact,
                             const SourceSpan& key) const {
    for (const FactRow& row : fact_table()) {
      const Provenance* from = provenance_of(environment_.facts(), row);
      if (from == nullptr || from->origin != Origin::stated || row.name == fact) continue;
      if (from->span == span && from->key_span != key) return std::string(row.name);
    }
    return {};
  }

  Result<void> replace(const std::string& fact, const std::string& value, const Provenance& from) {
    // A rule about one observation may change that place only.
    const Observation* item = environment_.item();
    if (item != nullptr && item->span != from.span) {
      return fail(fmt::format("{} counts from another place", fact));
    }
    auto place = place_of(document(), from);
    if (!place) return fail(std::move(place).error());
    if (const std::string other = also_stated_at(from.span, fact, from.key_span); !other.empty()) {
      return fail(fmt::format("the same value also states {}", other));
    }
    auto spelled = spell(subject_, path_of(document(), place->read_by), {fact, value},
                         {place->text, place->quoting, document().format()}, true);
    if (!spelled) return fail(std::move(spelled).error());
    if (spelled->text == document().text_at(place->span)) return {};
    written_.edits.push_back({place->span, std::move(spelled->text), place->pointer});
    written_.changes.push_back({fact, std::move(spelled->read_as)});
    return {};
  }

  Result<void> insert(const std::string& fact, const std::string& value) {
    if (environment_.item() != nullptr) return fail(fmt::format("no key states {}", fact));
    if (const FactRow* row = find_fact(fact);
        row != nullptr && canonical_text(environment_.facts(), *row) == value) {
      return {};  // the framework's default already
    }
    auto member = new_member(subject_, fact);
    if (!member) return fail(std::move(member).error());
    auto spelled = spell(subject_, member->path, {fact, value}, style_beside(*member), false);
    if (!spelled) return fail(std::move(spelled).error());
    auto edit = insert_member(document(), *member, spelled->text);
    if (!edit) return fail(std::move(edit).error());
    written_.edits.push_back(std::move(*edit));
    written_.changes.push_back({fact, std::move(spelled->read_as)});
    return {};
  }

  /// A new boolean takes the words of those beside it (True, yes); `true` where there is none.
  WrittenValue style_beside(const NewMember& member) const {
    const NodeId parent = document().node(member.sibling).parent;
    for (NodeId other = document().node(parent).first_child; other != kNoNode;
         other = document().node(other).next_sibling) {
      const std::string_view text = document().scalar(other);
      const bool plain = document().node(other).quoting == Quoting::plain;
      if (plain && lenient_boolean(text) && !lenient_number(text)) {
        return {text, Quoting::plain, document().format()};
      }
    }
    return {"true", Quoting::plain, document().format()};
  }

  Result<void> take_out(const std::string& fact) {
    const Provenance* from = origin_of(fact);
    if (from == nullptr || from->origin != Origin::stated) {
      return fail(fmt::format("no key states {}", fact));
    }
    auto place = place_of(document(), *from);
    if (!place) return fail(std::move(place).error());
    const NodeId member = member_at(document(), from->key_span);
    if (member == kNoNode || member != place->value) {
      return fail(fmt::format("{} is read through a reference", fact));
    }
    for (const FactRow& row : fact_table()) {
      const Provenance* other = provenance_of(environment_.facts(), row);
      if (other != nullptr && other->origin == Origin::stated && row.name != fact &&
          other->span == from->span) {
        return fail(fmt::format("the same value also states {}", row.name));
      }
    }
    auto edit = remove_member(document(), member);
    if (!edit) return fail(std::move(edit).error());
    written_.edits.push_back(std::move(*edit));
    written_.changes.push_back({fact, std::nullopt});
    return {};
  }

  const SubjectEnvironment& environment_;
  const Subject& subject_;
  std::vector<std::string> wanted_;
  WrittenFix written_;
};

}  // namespace

Result<WrittenFix> write_fix(const RuleTexts& texts, const SubjectEnvironment& environment) {
  std::optional<Error> first_refusal;
  for (const FixSet& set : texts.fix_sets) {
    auto written = FixWriter(environment).write(set);
    if (written) return written;
    if (!first_refusal) first_refusal = std::move(written).error();
  }
  return fail(first_refusal.value_or(Error{"the rule names no change"}));
}

}  // namespace gpulint
