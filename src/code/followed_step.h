#pragma once

// What a training step does to its tensors, written down as a program of the model language while
// the project's networks are followed. Internal to this room.
//
// Each operation is run at once on tensors of several sizes (python::Lanes), which says what it
// makes; numbers that differ between them become expressions over the batch and the input's size.

#include "code/read_code.h"
#include "model/tensor.h"
#include "python/host.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

class FollowedStep {
 public:
  using Place = std::function<std::string(SourceSpan)>;

  /// Batches have a row per node of a graph: nobody knows how many.
  void has_graphs() { rows_of_batch_.reset(); }
  python::TensorId open_tensor();
  /// What a function that nobody describes makes of data, the same in each pass.
  python::TensorId data_tensor(std::string_view by, python::TensorId from);
  std::optional<python::Lanes> open_rows(python::TensorId tensor) const;
  /// How many dimensions an open tensor has, as the code around it says.
  std::optional<std::size_t> open_dimensions(python::TensorId tensor) const;
  void has_dimensions(python::TensorId tensor, std::size_t count);
  python::TensorId constant(std::span<const python::Lanes> sizes, std::string_view kind);
  python::TensorId weight(python::ObjectId parameter, std::span<const python::Lanes> sizes);
  std::optional<python::Operated> operated(const python::Operation& operation);
  std::optional<std::vector<python::Lanes>> sizes_of(python::TensorId tensor) const;
  bool needs_gradient(python::TensorId tensor) const;
  /// Whether a call of a network belongs to one of its first steps.
  bool follows(python::ObjectId network);
  void begin_pass(std::span<const std::int64_t> sizes, bool is_stated);
  void cut_short() { is_cut_short_ = true; }
  python::Host::Pass end_pass();
  bool is_refused() const { return in_pass_ && refused_; }
  /// The sizes of the input at which the pass that was not possible would be, where there are any.
  std::vector<std::int64_t> fitting_sizes() const { return fitting_; }
  void lost(std::string_view what, SourceSpan place);
  void loop_began() { loops_.push_back({tensors_.size(), statements_.size(), lost_.size()}); }
  /// A loop over the input that makes nothing of it is as good as followed.
  void loop_ended();
  /// The backward pass of what was done so far.
  void ended();

  bool empty() const { return statements_.empty(); }
  /// Layers and weights that some step uses.
  std::set<python::ObjectId> layers() const;
  /// Those that no gradient passes.
  std::set<python::ObjectId> layers_beside() const;

  struct Lost {
    std::string what = {};
    SourceSpan place = {};
    std::size_t at = 0;        // statements before it
    bool contradicts = false;  // an operator cannot join tensors of such sizes
    std::int64_t cause = 0;    // why not (python/causes.h)
    bool beside = false;       // of a layer that no gradient passes
  };
  /// Parameters of all networks whose weights an optimizer has.
  struct Counts {
    std::int64_t all = 0;
    std::int64_t trained = 0;
    std::int64_t of_copies = 0;  // that a step calls without gradients, and does not train
  };
  /// The first of what could not be followed, and where; "": all could.
  Lost first_lost() const;
  /// Whether something could not be followed of a layer that no gradient passes.
  bool loses_beside() const;
  void lost_beside(std::string_view what, SourceSpan place);
  /// Of the largest step. `frozen`: whether a layer or a weight is.
  std::optional<FollowedNetwork> program(const std::function<bool(python::ObjectId)>& frozen,
                                         const Counts& counts, const Place& place) const;

 private:
  static constexpr std::size_t kLanes = python::kLanes;
  using Lanes = python::Lanes;

  static constexpr python::TensorId kSeveral = python::kNone - 1;
  enum class Input : std::uint8_t { image, tokens, length, volume, vector };

  struct Form {
    model::Dims sizes = {};
    model::Dims strides = {};
    model::DType dtype = model::DType::fp32;
    bool requires_grad = false;
  };
  struct Known {
    bool open = false;
    std::optional<Lanes> rows = {};  // of an open one: its first size, where that is known
    std::optional<std::int64_t> column = {};   // of an open one: a dimension of one item
    std::optional<std::size_t> dimensions = {};  // of an open one
    bool is_turned = false;  // its last dimension stood before another one in the input
    python::TensorId root = python::kNone;    // of an open one: as large but for its channels
    python::TensorId source = python::kNone;  // of an open one: with as many channels, and its axes
    python::TensorId made_of = python::kNone;  // the only input it is made of; or kSeveral
    std::optional<Input> input = {};
    bool is_integers = false;
    bool is_result = false;  // of a statement; else of nothing that is written down
    bool is_constant = false;  // made of numbers alone
    python::ObjectId parameter = python::kNone;
    /// The input it is made of whose size was taken from that of another one.
    python::TensorId supposed = python::kNone;
    std::array<Form, kLanes> lanes = {};
    std::vector<Lanes> sizes = {};
  };
  struct Argument {
    std::string name = {};
    std::optional<bool> flag = {};
    std::string word = {};
    std::vector<Lanes> numbers = {};
    bool is_list = false;
    std::vector<python::TensorId> tensors = {};
    python::TensorId like = python::kNone;  // an input some of whose sizes it has
    std::size_t items = 0;  // of a list, also where one of them is unknown; 0: nobody knows
  };
  /// What a layer reads that takes both a vector per sample and rows of them, which nothing tells:
  /// a linear layer is supposed to be given a vector, and an embedding rows.
  struct Choice {
    python::TensorId input = python::kNone;
    bool rows = false;
  };
  enum class Reading : std::uint8_t { supposed, all_rows, mixed, none_left };
  struct Statement {
    std::string name = {};
    python::TensorId from = python::kNone;
    python::TensorId result = python::kNone;
    std::vector<Argument> arguments = {};
    python::ObjectId layer = python::kNone;
    python::ObjectId weight = python::kNone;  // of the layer; several may have the same
    std::int64_t saved = 0;                   // bytes, at the first size
    std::int64_t parameters = 0;              // made by it
    bool detached = false;
    bool doubtful = false;
    bool recomputed = false;
    python::TensorId supposed = python::kNone;  // the input whose size decides what it keeps
  };
  static Lanes rows_of_samples();
  std::optional<python::Operated> worked_out(const python::Operation& operation);
  bool are_mine(const python::Operation& operation) const;
  std::optional<python::Operated> run(Statement statement, SourceSpan place,
                                      bool is_retried = false);
  bool apply(Statement& statement, std::array<Form, kLanes>& made, std::string& error) const;
  bool translate(Statement& statement);
  bool translate_views(Statement& statement);
  /// Of a tensor with another one, by the names of their dimensions.
  struct Product {
    std::vector<std::string> x = {};
    std::vector<std::string> by = {};
    std::vector<std::string> made = {};
    python::TensorId other = python::kNone;
  };
  static std::optional<Product> factors_of(const Statement& statement);
  bool bind_einsum(const Statement& statement, const Lanes& batch);
  bool translate_einsum(Statement& statement);
  std::vector<std::int64_t> sizes_by_factor(const Statement& statement) const;
  bool translate_rows(Statement& statement);
  struct Rearranged {
    std::optional<Lanes> rows = {};
    std::optional<std::size_t> before = {};  // dimensions
    std::optional<std::size_t> after = {};
  };
  Rearranged rearranged_input(const Statement& statement) const;
  std::optional<python::Operated> rearranged(const Statement& statement, SourceSpan place);
  bool bind(const Statement& statement);
  void bind_as(python::TensorId tensor, Input input, bool is_integers, std::vector<Lanes> sizes);
  bool reads_rows(python::TensorId input, bool supposed);
  bool has_other_reading();
  bool has_mixed_reading();
  std::optional<std::size_t> dimensions_after(const Statement& statement) const;
  static bool moves_last(const Statement& statement);
  python::TensorId waiting(const Statement& statement, python::TensorId from,
                           std::optional<Lanes> rows);
  bool takes_sizes_of_label(Statement& statement, std::span<const std::string> unknown);
  void suppose(Statement& statement, Known& made);
  void lost_of(const Statement& statement, SourceSpan place);
  Lanes longest(const Statement& attention) const;
  Lanes of_copies(std::size_t first, std::size_t last, double& fixed) const;
  static python::ObjectId weight_of(const Statement& statement);
  std::map<python::ObjectId, std::int64_t> parameters_of_layers(std::size_t first,
                                                                std::size_t last) const;
  std::string misread(const Statement& statement) const;
  std::optional<std::int64_t> size_at(const Lanes& own, double wanted) const;
  std::optional<std::int64_t> fitting(const Statement& statement) const;
  bool limited(const Statement& statement);
  bool has_own_batch(Statement& statement);
  bool lacks_dimension(const Statement& statement) const;
  python::TensorId made_of(const Statement& statement) const;
  Lanes size_lanes(Input input, std::size_t axis) const;
  python::TensorId add(Known known);
  std::optional<Lanes> rows_of(python::TensorId tensor) const;
  std::optional<Lanes> rows_after(const Statement& statement) const;
  std::optional<std::optional<python::Operated>> awaited(const Statement& statement,
                                                         std::span<const std::string> unknown,
                                                         SourceSpan place);
  python::TensorId derived(python::TensorId from, std::string_view by, std::optional<Lanes> rows);
  static double number_of(const Statement& statement, std::string_view name);
  bool takes_column(const Statement& statement, std::span<const std::string> unknown) const;
  python::TensorId root_of(python::TensorId tensor) const;
  python::TensorId source_of(python::TensorId tensor) const;
  python::TensorId known_or_like(python::TensorId tensor, const Known& x, std::string_view role);
  std::string name(python::TensorId tensor) const;
  std::optional<std::string> expression(const Lanes& lanes) const;

  std::vector<Known> tensors_;
  std::vector<Statement> statements_;
  std::vector<std::size_t> ends_;  // of steps: statements before a backward pass
  std::map<python::ObjectId, std::vector<std::size_t>> steps_of_;  // in which each is followed
  std::vector<Lost> lost_;
  struct Mark {
    std::size_t tensors = 0;
    std::size_t statements = 0;
    std::size_t lost = 0;
  };
  std::vector<Mark> loops_;         // what there was before each that is running
  std::int64_t cause_ = 0;          // of what is not known of the operation at hand
  bool by_image_ = false;           // whether there is a symbol for the size of images
  std::optional<Input> by_length_;  // what the symbol for lengths stands for
  std::vector<std::int64_t> stated_sizes_;
  std::optional<Lanes> rows_of_batch_ = rows_of_samples();
  bool in_pass_ = false;
  bool bound_ = false;
  bool refused_ = false;
  std::vector<std::int64_t> fitting_;  // of the first refusal in this pass
  Reading reading_ = Reading::supposed;
  std::vector<Choice> choices_;  // of the inputs of this pass and those before it
  std::uint32_t mixture_ = 0;    // of the choices, those that are not as supposed
  std::size_t pass_statements_ = 0;
  std::size_t pass_lost_ = 0;
  std::vector<python::TensorId> pass_bound_;
  std::set<python::TensorId> supposed_;  // inputs whose size was taken from that of another one
  std::map<std::string, python::TensorId> derived_;
  std::map<std::string, int> derivations_;  // in this pass
  bool is_fixed_ = false;                   // a network was followed at the size it states
  bool is_stated_ = false;                  // that of this pass was written down
  bool is_cut_short_ = false;               // a table of positions ended before the input
  bool is_limited_ = false;                 // and that input alone was made as long as the table
  bool is_at_most_ = false;                 // the input may be smaller than the size that it has
};

}  // namespace gpulint
