#pragma once

// Runs Python without running it: values that are known are worked out as Python would, everything
// else is unknown, and both sides of a condition nobody can decide are taken, one after the other.
// What the two sides leave different is unknown behind it. Functions and classes of the project are
// entered; what lies outside is reported to the Host by its dotted name.
//
// Rejected: tracking of keys as symbols through all paths. A config is at hand whenever a script is
// read, so its values decide most conditions, and a loop over its items can simply be run.

#include "python/causes.h"
#include "python/program_state.h"
#include "python/tensor_sizes.h"

#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpulint::python {

class Interpreter : public ProgramState {
 public:
  /// Where modules are looked up: folders from the project's root, in order.
  Interpreter(Host& host, std::vector<std::string> search, const InterpreterLimits& limits = {});
  /// Goes on where another program was when its memory was copied.
  Interpreter(Host& host, const ProgramMemory& memory);

  /// Runs a file as `python FILE`. `as_main`: __name__ is "__main__".
  ObjectId run(const Module& module, bool as_main);
  /// Statement by statement. Between two of them the memory may be copied.
  ObjectId begin(const Module& module, bool as_main);
  bool advance();  // false: that was the last one
  SyntaxId next() const { return next_; }
  const ProgramMemory& memory() const { return *this; }
  /// A file that starts nothing itself: its one command, or its `main`, is started from elsewhere.
  void start_by_entry_point(const Module& module);

  /// Calls a function or a class without arguments, as systems do that ask a module for its config.
  Value call_of(const Value& callee);
  /// Calls a function, or a method of an object, with one value that nobody knows, as for each
  /// sample of a data set. It may fail, and what it changes is undone.
  void try_sample(const Value& callee, std::string_view method);
  /// What a function makes of a number, as far as it says one; what it calls is not reported.
  std::optional<double> number_at(const Value& callee, std::int64_t number);

  /// nullopt: nobody knows.
  std::optional<bool> truth(const Value& value) const;
  bool is_own_method(const Value& value) const;
  bool is_callable(const Value& value) const;
  std::optional<bool> equal(const Value& a, const Value& b) const;
  std::optional<bool> equal_items(const Value& a, const Value& b) const;
  /// True when a limit ended the run: what was not seen may be there.
  bool truncated() const { return truncated_; }
  /// True when a function raised for certain.
  bool stopped() const { return stopped_; }
  std::uint32_t steps() const { return steps_ + import_steps_ + tried_steps_; }
  /// What runs may fail without the program's end, and reads files that nobody has.
  bool is_trying() const { return trying_ > 0; }
  /// Names and known values of the functions that are running, innermost first.
  std::vector<std::string_view> running() const;
  const Value* local(std::size_t outwards, std::string_view name) const;
  /// Source text of what the result of the running function is assigned to; "": of nothing.
  std::string_view outer_target() const {
    return targets_.size() < 2 ? std::string_view() : targets_[targets_.size() - 2];
  }
  std::size_t depth() const { return frames_.size(); }
  /// What the running module calls a function: "torch.compile"; ".step" of something unknown.
  std::string dotted_name(SyntaxId function);
  bool is_network(const Value& value) const;
  /// A mapping, with all below it, whose missing items are refused as attributes too.
  void mark_attributes(const Value& mapping) { mark(mapping, &Object::has_attributes, 0); }
  /// Code that nobody sees was given it, with all below it.
  void share(const Value& value);
  /// What runs is called by a library that a host describes, not by the project itself.
  bool in_library_call() const { return library_calls_ > 0; }
  NetworkParameters parameters_of(const Value& network);
  /// The network, and those that are parts of it, each before its own parts.
  std::vector<Value> networks_in(const Value& network);
  /// Name of an instance's class and where it is defined.
  std::string_view class_name(const Value& instance) const;
  SourceSpan class_place(const Value& instance) const;
  bool has_method(const Value& instance, std::string_view name);
  const std::vector<BuiltNetwork>& networks() const { return networks_; }  // as they were made
  /// Items of a list, a tuple or a sequence; `all`: whether these are known to be all.
  std::vector<Value> known_items(const Value& value, bool& all) const;
  /// Whether one of these is a part of the network, or a weight of it.
  bool holds(const Value& network, const std::set<ObjectId>& parts);
  /// No weight of a layer, or this weight, is trained.
  bool is_frozen(ObjectId part) const;
  /// The call that loads a config, or the function that is given it; unknown before the first.
  SourceSpan asked_at() const { return asked_at_; }
  /// Why a value is unknown; nullopt: nothing of the project's code is to blame.
  std::optional<Gap> gap(std::int64_t cause) const;
  std::optional<Gap> gap_at(SourceSpan place) const;
  std::int64_t cause_of(const Value& value) const;
  /// What of another number, the value of the expression at `whole_at`, an unknown one is: a tenth
  /// of it, however large that is (shares.cpp).
  std::optional<double> share_of(const Value& part, const Value& whole, SyntaxId whole_at) const;
  /// What was run and looked at; at the end, as it is given away.
  Reach take_reach();

 private:
  enum class Flow : std::uint8_t { normal, returned, broke, continued, raised };

  void mark(const Value& value, bool Object::*flag, int depth);
  Value method_value(Method method);

  // scopes and modules (interpreter.cpp)
  bool step();
  const SyntaxTree& tree() const { return frames_.back().module->tree; }
  const SyntaxNode& node(SyntaxId id) const { return tree().node(id); }
  std::string_view source(SyntaxId id) const;
  SourceSpan span(SyntaxId id) const;
  Value lookup(TextId name);
  Value own_text();
  void assign_name(TextId name, const Value& value, SourceSpan key_span);
  void search_below(const Value& folder);
  Value import_module(std::string_view dotted, int dots);
  ImportedPlace search(std::string_view dotted, int dots);
  ImportedPlace search_in(const std::vector<std::string>& folders, const std::string& relative);
  ImportedPlace place_of(std::string_view dotted, int dots);
  ObjectId enter(const Module& module, bool as_main);
  ObjectId module_scope(const Module& module);
  void import_names(SyntaxId id);
  void import_from(SyntaxId id);
  void import_all(const Value& module, std::string_view dotted);
  void import_parts(const Value& package);
  Value from_outside(ObjectId module, TextId name);
  void add_outside(ObjectId scope, TextId module);
  Value from_module(const Value& module, std::string_view dotted, TextId name);
  Value external(std::string_view name);
  Value environment();
  bool is_environment(ObjectId object) const;
  Value launched_as(const Value& variable);
  std::optional<Value> own_default(const Value& variable, const Arguments& arguments);
  bool may_hold(ObjectId object, TextId name) const;

  // networks (networks.cpp, tensors.cpp)
  const Value& described(TextId name);
  bool builds_networks(std::uint32_t type);
  Value construct_network(std::uint32_t type, Arguments arguments, SyntaxId at);
  std::optional<Value> described_call(TextId name, const Arguments& arguments, SyntaxId at);
  std::optional<Value> call_described(const Method& method, const Arguments& given, SyntaxId at);
  bool makes_networks(const Module& module);
  Value modules_of(const Value& network);
  std::optional<Value> primitive(std::string_view name, Arguments& arguments);
  std::optional<Value> listing(std::string_view name, const Value& network);
  void walk(const Value& value, const std::string& path, NetworkWalk& into, int depth);
  Value make_tensor(Part part);
  Value sized(const Arguments& arguments);
  Value series(const Value& tensor, const Value& start, const Value& end);
  Value holding(const Value& data);
  Value numbers(const Value& data);
  bool knows_numbers(const Value& value) const;
  Value size_in_tensor(const Value& data);
  std::optional<Value> single_number(const Value& value) const;
  std::optional<Value> by_elements(Operator op, const Value& a, const Value& b, SourceSpan at);
  std::optional<std::pair<std::int64_t, std::int64_t>> slice_bounds(SyntaxId slice,
                                                                    std::size_t count);
  bool write_slice(const Value& of, SyntaxId slice, const Value& value);
  void forget_numbers(const Value& of);
  Value like(const Value& tensor);
  Value sizes_like(const Value& some, TensorId input);
  std::optional<Sizes> sizes_of(const Value& value) const;
  Value of_sizes(const Sizes& sizes);
  Value weight_of_sizes(const Value& weight, const std::vector<Lanes>& sizes);
  Value resized(std::string_view operation, const Value& tensor, const Arguments& arguments);
  Value parameter(const Value& data, const Value& trained);
  Value times(const Value& size, const Value& dims);
  Value caller_arguments();
  TextId rest_name(const Frame& frame);
  std::optional<Value> mathematics(std::string_view name, const Arguments& arguments);
  std::optional<Value> regular_expression(std::string_view name, const Arguments& arguments);
  std::optional<Value> joined_items(std::string_view name, const Arguments& arguments);
  void decorate(SyntaxId body, const Value& value);

  // networks that are called (following.cpp)
  Value lane_number(const Lanes& lanes, bool is_whole);
  Value each_lane(Value value, std::initializer_list<Value> from,
                  const std::function<Value(std::span<const Value>)>& work);
  bool is_tensor(const Value& value) const;
  bool is_followed(const Value& value) const;
  bool is_open_tensor(const Value& value) const;
  Value tensor_value(const Operated& operated);
  Value open_input();
  Value open_item(const Value& open, TextId key);
  std::optional<std::vector<Lanes>> known_shape(const Value& tensor) const;
  TensorId tensor_of(const Value& value);
  OperationArgument operand(std::string_view name, const Value& value);
  Value operate(const Arguments& arguments);
  Value operation(std::string_view name, const Value& first, const Arguments& arguments);
  SourceSpan followed_place() const;
  static bool takes_form(std::string_view method);
  void lose(std::string_view name, const Arguments& arguments);
  bool is_data(const Value& value) const;
  std::optional<Value> data_from(std::string_view name, const Arguments& arguments);
  std::optional<Value> tensor_arithmetic(Operator op, const Value& a, const Value& b);
  std::optional<Value> arithmetic_method(const Value& self, std::string_view name,
                                         const Arguments& arguments);
  std::pair<SyntaxId, bool> measured(SyntaxId id);
  void note_dimensions(SyntaxId condition, Operator says);
  bool only_raises(SyntaxId block) const;
  std::optional<std::vector<Value>> taken_apart(const Value& value, std::size_t count);
  Value tensor_item(const Value& tensor, SyntaxId index);
  Value open_slice(const Value& open, SyntaxId index, const std::vector<SyntaxId>& parts);
  std::optional<Value> tensor_attribute(const Value& of, TextId name);
  std::optional<std::vector<Value>> tensor_items(const Value& value, std::size_t count);
  std::vector<std::vector<std::int64_t>> stated_sizes(const Value& network);
  Arguments with_open_inputs(const Function& function, const Arguments& given);
  Value follow(const Value& network, const Value& callee, Arguments arguments);
  std::optional<bool> calls_parts(const Value& network, const Function& function, int depth);
  bool stands_for_forward(const Method& method, const Arguments& arguments);
  Value follow_from_outside(const Value& network, const Function& function, std::uint32_t index,
                            const Arguments& arguments);
  bool detaches(const Value& context) const;

  // branches (branches.cpp)
  std::vector<Undone> undo(std::size_t mark);
  void redo(const std::vector<Undone>& changes);
  void join(const std::vector<Undone>& a, const std::vector<Undone>& b, std::int64_t cause);
  Value joined(const Value& a, const Value& b, int depth = 0);
  Value joined_objects(const Value& a, const Value& b, int depth);
  Value joined_instances(const Value& a, const Value& b, int depth);
  bool are_alike(const Value& a, const Value& b, int& budget) const;
  bool wraps(const Value& outer, const Value& inner) const;
  bool is_moved(const Value& top, const Value& below) const;
  double least_cost(const Value& network);
  Value either_of(const Value& a, const Value& b);
  bool is_bound_outside(TextId name) const;
  Flow both(SyntaxId then, SyntaxId otherwise, const Value& condition = {});
  void forget_counters(SyntaxId body);

  // statements (statements.cpp)
  Flow block(SyntaxId id);
  Flow statement(SyntaxId id);
  Flow branch(SyntaxId id);
  Flow with(SyntaxId id);
  Flow attempt(SyntaxId id);
  bool raises_in_attempt();
  bool asks_by_raising(SyntaxId body, SyntaxId handler) const;
  Flow match(SyntaxId id);
  std::optional<bool> is_case(SyntaxId id, const Value& subject);
  Value pattern_value(std::string_view pattern);
  Value named(std::string_view dotted);
  Guard guard_of(SyntaxId condition);
  bool goes_on(SyntaxId block) const;
  void skip(SyntaxId left_out, const Value& condition);

  // why values are unknown (causes.cpp)
  std::int64_t here(SyntaxId id) const;
  static Value because(Value value, std::int64_t cause);
  void open_network(ObjectId network, std::int64_t cause);

  // what is run and looked at (reach.cpp)
  std::uint8_t& mark_of(SyntaxId id);
  void note_run(SyntaxId id);
  void note_left_out(SyntaxId id, bool by_config = false);
  void note_rest_left_out(SyntaxId left_by);
  void note_value(const Value& value);
  void note_whole(const Value& value, int depth = 0);
  void note_asked(const Value& of, TextId name, SyntaxId literal, SyntaxId place);
  void unsay(TextId word, SyntaxId literal);

  // what ends the program (refusals.cpp)
  bool is_certain() const;
  Trial take_trial();
  void refuse(Refusal made);
  void share_of_both(const Trial& a, const Trial& b);
  void refuse_where_both_do(const Trial& a, const Trial& b);
  void note_leaving();
  void refuse_statement(SyntaxId id, Refusal::How how);
  void refuse_assertion(SyntaxId id);
  void refuse_missing(const Value& of, TextId key, SyntaxId at, bool is_attribute);
  void note_absent_option(const Value& of, TextId name, SyntaxId at);
  void refuse_unknown_fields(const std::vector<Value>& types, const std::vector<Value>& made,
                             const Value& config);
  void refuse_surplus(const Function& function, const Arguments& arguments);
  Value decide(SyntaxId condition, std::vector<SourceSpan>& stated);

  // constructors that may fail (trials.cpp)
  bool ends_in_trial(std::uint32_t function, const Value* self, Arguments arguments);
  void try_constructor(std::uint32_t function, const Value& self, Arguments arguments);

  // loops (loops.cpp)
  void report_frozen(SyntaxId iterable, SyntaxId body);
  Flow for_loop(SyntaxId id);
  /// Rounds for each part of a network are counted apart, while this lives: a deep one leaves the
  /// script its steps.
  class PartsApart {
   public:
    PartsApart(Interpreter& in, const Value& over) : in_(in), begun_(in.begin_parts(over)) {}
    PartsApart(const PartsApart&) = delete;
    PartsApart& operator=(const PartsApart&) = delete;
    ~PartsApart() {
      if (begun_) in_.end_parts();
    }

   private:
    Interpreter& in_;
    bool begun_;
  };
  bool begin_parts(const Value& over);
  void end_parts();
  Flow rounds_of(SyntaxId id);
  Flow while_loop(SyntaxId id);
  Flow part_of_loop(SyntaxId target, const Value& over, SyntaxId body);
  bool holds_parameters(const Value& value) const;
  bool only_fills(SyntaxId body);
  void note_counting(SyntaxId target, SyntaxId value);
  Value report_loop(SyntaxId target, SyntaxId iterable, SyntaxId id);
  void assign_some(SyntaxId target, const Value& over);
  Value varying(Varying how);
  const Varying* varying_of(const Value& value) const;
  Value still_varying(Operator op, const Value& a, const Value& b);
  void report_power(const Value& base, const Value& exponent, SyntaxId at);
  std::optional<Value> chosen_config(const Value& key, const Value& found);
  Round round_over(SyntaxId iterable, const Value& times);
  void report_while(SyntaxId condition, SyntaxId id);
  // counters of loops (counted_limits.cpp)
  struct Counting {
    bool changes = false;         // in the body of a loop
    bool changes_inside = false;  // of one in it
    bool goes_up = false;         // in each round of one of them
    bool starts_again = false;
    Loop::Counter counter() const {
      if (!changes) return Loop::Counter::elsewhere;
      return changes_inside ? Loop::Counter::inside : Loop::Counter::each_round;
    }
  };
  Counting counting_of(std::string_view counter, SyntaxId body) const;
  bool leaves_loops(SyntaxId block) const;
  SyntaxId limit_in(SyntaxId body) const;
  void report_limit(SyntaxId body, SyntaxId id);
  Flow round(SyntaxId body);
  bool adds_one(SyntaxId id);
  bool empties_a_list(SyntaxId condition);
  std::optional<std::vector<Value>> items_of(const Value& value);

  // definitions (definitions.cpp)
  void define_function(SyntaxId id);
  void define_class(SyntaxId id);
  void run_class_body(std::uint32_t type, SyntaxId body);
  Behaviour fields_from(const Value& base_or_decorator);

  // assignments (assignments.cpp)
  void assign(SyntaxId target, const Value& value);
  bool is_property_of_library(const Value& of, TextId name) const;
  bool run_setter(const Value& of, TextId attribute, const Value& value);
  void assign_attribute(SyntaxId target, const Value& value);
  Value rows_by_data(const Value& table, const std::vector<SyntaxId>& parts);
  bool write_into(const Value& tensor, const Value& value);
  void assign_item(SyntaxId target, const Value& value);
  void report_variable(const Value& of, const Value& name, const Value& value, SyntaxId at);
  void unpack(SyntaxId targets, const Value& value);
  std::vector<Value> with_rest(std::vector<Value> items, SyntaxId targets, std::size_t count);
  void annotated(SyntaxId id);
  void augmented(SyntaxId id);
  void remove(SyntaxId target);

  // expressions (expressions.cpp)
  Value eval(SyntaxId id);
  Value eval_kind(SyntaxId id);
  Value number(SyntaxId id) const;
  Value formatted(SyntaxId id);
  Value conditional(SyntaxId id);
  Value made_from(Value value, const Value& a, const Value& b) const;

  // collections (collections.cpp)
  Value sequence(SyntaxId id, Kind kind);
  Value dict(SyntaxId id);
  Value comprehension(SyntaxId id);
  bool fill_table(const Value& table, std::size_t rows);
  void comprehend(SyntaxId loop, SyntaxId element, SyntaxId value, const Value& into);
  void comprehend_once(SyntaxId loop, SyntaxId element, SyntaxId value, const Value& into);
  const Value* some_item(const Value& of) const;
  const Value* only_choice(const Value& of) const;
  Value subscript(const Value& of, const Value& index);
  Value sliced(const Value& of, SyntaxId slice);
  Value key_value(const Value& mapping, const Entry& entry);

  // comparisons (comparisons.cpp)
  Value boolean(SyntaxId id);
  Value compare(SyntaxId id);
  bool is_type_name(const Value& value) const;
  std::optional<bool> compared(Operator op, const Value& a, const Value& b) const;
  std::optional<bool> compared_releases(Operator op, const Value& release, const Value& with);
  std::optional<bool> compared_lanes(Operator op, const Value& a, const Value& b) const;
  std::optional<bool> contains(const Value& container, const Value& item) const;

  // arithmetic (arithmetic.cpp)
  Value unary(SyntaxId id);
  Value repeated(const Value& listing, std::int64_t times, SourceSpan at);
  Value binary(Operator op, const Value& a, const Value& b, SourceSpan at);
  Value in_proportion(Value made, Operator op, const Value& left, const Value& right,
                      SyntaxId id) const;
  static Value devices_of(Behaviour how);
  static std::optional<Value> times_ranks(Operator op, const Value& a, const Value& b);
  Value formatted(const Value& pattern, const Value& given);
  Value arithmetic(Operator op, const Value& a, const Value& b) const;

  // attributes (attributes.cpp)
  Value attribute(const Value& of, TextId name, SyntaxId receiver);
  Value class_attribute(std::uint32_t type, TextId name, const Value& self, int depth);
  Value super_of(TextId name, std::uint32_t of);
  std::uint32_t class_of_super(SyntaxId call);
  const Value* own_method(std::uint32_t type, TextId name, int depth) const;
  std::uint32_t library_base(std::uint32_t type, std::uint32_t otherwise, int depth) const;
  std::string library_name(std::uint32_t type) const;
  bool has_base(std::uint32_t type, Behaviour how, int depth);
  bool is_dict(std::uint32_t type, int depth);
  Behaviour fields_of(std::uint32_t type, int depth);

  // calls (calls.cpp)
  Value call_node(SyntaxId id);
  Value call(const Value& callee, Arguments arguments, SyntaxId at);
  Value call_function(std::uint32_t index, const Value* self, Arguments arguments);
  Frame frame_of(std::uint32_t index);
  void note_yielded(const Value& value, bool hands_on);
  Value run_body(const Function& function);
  Value call_method(const Method& method, Arguments& arguments, SyntaxId at);
  void report(std::string_view name, const Arguments& arguments, SyntaxId at,
              std::string_view receiver, bool is_own = false);

  // arguments (arguments.cpp)
  Arguments arguments(SyntaxId first);
  void add_unpacked(Arguments& into, const Value& value);
  void bind(const Function& function, SyntaxId parameters, ObjectId scope, const Value* self,
            Arguments& arguments);
  std::size_t by_other_name(const Module& module, TextId name, const Arguments& arguments);
  Value rest_of(Parameter how, const Arguments& arguments, std::vector<bool>& used);
  static const Argument* argument(const Arguments& arguments, std::size_t position,
                                  std::string_view name, const Interpreter& in);
  Value argument_value(const Arguments& arguments, std::size_t position,
                       std::string_view name) const;
  SourceSpan keyword_span(const Argument& argument) const;

  // instances (classes.cpp)
  Value construct(std::uint32_t type, Arguments arguments, SyntaxId at = kNoSyntax);
  bool report_own_optimizer(std::uint32_t type, const Value& self, const Arguments& arguments,
                            SyntaxId at);
  TextId optimizer_base(std::uint32_t type, int depth);
  bool is_own_optimizer(const Value& value) const;
  Value make_of_library(const Method& method, Arguments& arguments, SyntaxId at);
  std::string method_name(const Method& method) const;
  std::string_view receiver_of(const Method& method) const;
  void fill_fields(std::uint32_t type, const Value& self, Arguments& arguments, int depth);
  Value coerce(const Value& value, SyntaxId annotation, const Type& type);
  Value structure(const Value& type, const Value& data);
  Value filled_class(Behaviour how, const Value& callee, const Arguments& arguments, SyntaxId at);
  // data_classes.cpp
  Value as_dict(const Value& of, int depth);
  std::optional<Value> of_data_class(std::string_view name, const Arguments& arguments);
  Value names_of_class(const Value& type);
  Value of_outside_base(std::uint32_t type, std::string_view method, int depth);
  Value inherited_maker(const Value& type, std::string_view method, int depth);

  // what lies outside (behaviours.cpp, copies.cpp)
  Value call_external(const Value& callee, Arguments& arguments, SyntaxId at);
  Value class_parser(const Arguments& arguments);
  Value classes_of_config(const Value& parser, std::string_view method, const Arguments& arguments,
                          SyntaxId at);
  Arguments options_of_libraries(const std::vector<Value>& types, const Value& config);
  bool takes_field(const Value& type, TextId name, int depth) const;
  void give_field(ObjectId made, const Entry& field, const Value& given);
  Value class_of_config(const Value& type, SyntaxId at);
  Value class_of_config(const Value& type, const Value& config, const Arguments& others,
                        SyntaxId at);
  void report_fields(std::uint32_t type, const Value& filled, bool is_open, SyntaxId at, int depth);
  Value zipped(const Arguments& arguments);
  std::optional<Value> own_length(std::string_view name, const Arguments& arguments);
  Value behave(Behaviour how, const Value& callee, Arguments& arguments, SyntaxId at);
  Value mapping_of(const Arguments& arguments);
  bool set_pairs(const Value& mapping, const Value& pairs);
  Value dict_of(const Arguments& arguments);
  Value partial_of(const Arguments& arguments);
  Value swept(const Value& sweep, int depth);
  Value spawn(Arguments& arguments, SyntaxId at, std::string_view name);
  Value import_file(const Arguments& arguments, std::string_view name);
  Value process(const Arguments& arguments, SyntaxId at);
  Value only_one(const Value& list);
  static Value chosen_by(const Value& key, Value found);
  Value trial(const Arguments& arguments, SyntaxId at, std::string_view name);
  Value decoded(const Value& value);
  Value literal(const Value& written);
  void lay_over(const Value& mapping, const Value& over, SyntaxId at, int depth);
  std::string_view type_words(const Value& value) const;
  void refuse_overlaid(const Value& mapping, const Entry& over, SyntaxId at);
  void allow_new_keys(const Value& mapping, int depth);
  Value dotted_target(std::string_view name);
  Value instantiate(Arguments& arguments, SyntaxId at);
  Value instantiated(const Value& value, SyntaxId at, int depth);
  Value merge_into(const Value& base, const Value& over, int depth);
  Value deep_copy(const Value& value, int depth);
  Value deep_copy(const Value& value, int depth, std::unordered_map<ObjectId, ObjectId>& copies);

  // what Python itself brings (builtins.cpp, methods.cpp)
  std::optional<Value> builtin(std::string_view name, Arguments& arguments);
  std::optional<Value> method_of_dict(std::string_view name, Arguments& arguments);
  Value names_of_config(const Value& code, const Value& names);
  std::optional<Value> item_function(std::string_view name, Arguments& arguments);
  Value named_tuple(std::string_view name, const Arguments& arguments);
  void list_fields(const Value& self);
  std::optional<std::vector<Value>> members_of(std::uint32_t type) const;
  std::optional<std::vector<Value>> ordered_by(const std::vector<Value>& items, const Value& key);
  std::optional<Value> conversion(std::string_view name, const Value& value);
  std::optional<Value> reflection(std::string_view name, Arguments& arguments);
  void set_names_by_options(ObjectId scope);
  Value joined_path(std::string path, const Arguments& parts, const Value& from);
  std::optional<Value> path_function(std::string_view name, const Arguments& arguments);
  std::optional<Value> folder_listing(std::string_view name, const Arguments& arguments);
  Value lines_in(const Value& over);
  std::optional<Value> text_lines(const Value& self, std::string_view method,
                                  const Arguments& arguments);
  std::optional<Value> path_listing(const Value& folder, std::string_view method,
                                    const Value& pattern);
  std::optional<Value> text_search(std::string_view own, std::string_view name,
                                   const Arguments& arguments);
  std::optional<bool> is_instance(const Value& value, const Value& type) const;
  bool is_of_known_bases(std::uint32_t type, int depth) const;
  std::optional<Value> method_of(const Value& self, std::string_view name, Arguments& arguments,
                                 SyntaxId at);
  Value filled_text(const Value& pattern, const Arguments& arguments);
  Value names_of_module(const Value& module);
  std::optional<Value> text_method(const Value& self, std::string_view name,
                                   const Arguments& arguments);
  void forget_entries(ObjectId object);
  std::optional<Value> dict_method(const Value& self, std::string_view name, Arguments& arguments);
  bool take_out(const Value& of, const Arguments& arguments);
  std::optional<Value> list_method(const Value& self, std::string_view name,
                                   const Arguments& arguments);
  std::optional<Value> parser_method(const Value& self, std::string_view name,
                                     Arguments& arguments);
  // argparse (command_lines.cpp)
  Value made_parser(std::string_view by, const Arguments& arguments);
  Value usage_options(const Arguments& arguments);
  void define_option(std::string_view by, const Arguments& arguments);
  Unset unset_as(const Value& value) const;
  bool leaves_out(const Value& stated) const;
  void add_option(const Value& parser, const Arguments& arguments);
  Value run_command(Value component, SyntaxId at);
  std::string_view meant_function(ObjectId holder);
  std::optional<Argument> declared_parameter(const Function& function, SyntaxId parameter,
                                             std::string_view word);
  Arguments arguments_of_command(const Function& function, std::string_view word);
  // functions that decorators make commands of (decorated_commands.cpp)
  Command* group_of(SyntaxId named, const Value& decorator);
  void declare_command(std::uint32_t function,
                       std::span<const std::pair<SyntaxId, Value>> decorators);
  bool starts_command(const Value& callee, const Arguments& arguments) const;
  Value start_command(const Value& callee, SyntaxId at);
  Value run_decorated(std::uint32_t index, std::string_view word, SyntaxId at);
  Value run_below(const Command& command, std::string_view word, SyntaxId at);
  bool reads_command_line(const Function& function) const;
  bool add_command(const Method& method, const Arguments& arguments);
  Value annotated_class(std::uint32_t function, SyntaxId parameter);
  bool takes_word(const Arguments& stated) const;
  Argument decorated_option(const Arguments& stated, std::string_view word);
  Value submit(Arguments& arguments, SyntaxId at, std::string_view name);
  void note_option(CommandLine& line, const Arguments& arguments);
  void note_parsing(const Value& parser, const Arguments& arguments);
  Value parsed_options(const Value& parser);
  Value option_group(const Value& parser, const Arguments& arguments);
  Value groups_of_options(const Value& parser);
  Value option_action(const CommandOption& option);
  std::optional<Value> group_method(const Value& self, ObjectId of, std::string_view name,
                                    Arguments& arguments);
  void doubt_groups_of(const Value& parser);
  Value parser_of_word(const Value& parser, bool is_below, const Arguments& arguments);
  Value evaluated_name(const Value& written);
  Value evaluated(const Value& written, SyntaxId at);
  Value executed(const Value& written, SyntaxId at);
  const Module* module_of_text(const Value& written, SyntaxId at);
  void enter_text(const Module& module, SyntaxId at);
  void leave_text();
  std::optional<std::string> shown(const Value& value) const;
  bool is_something(const Value& value) const;
  Value fields_by_name(std::uint32_t type, int depth = 0);
  Value type_of(const Value& value);
  Value counted(const Arguments& arguments);
  bool derives(std::uint32_t type, std::uint32_t from, int depth) const;
  std::optional<bool> is_subclass(const Value& type, const Value& of) const;
  Value make_bool(bool value) const;
  Value make_integer(std::int64_t value) const;
};

}  // namespace gpulint::python
