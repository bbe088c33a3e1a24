// The operators a model file may name, one row each. Rows only translate arguments; what an
// operator saves is decided in ops_*.cpp.

#include "model/operator_table.h"

#include "model/composites.h"
#include "model/ops_dense.h"
#include "model/ops_general.h"
#include "model/ops_moe.h"

#include <algorithm>

namespace gpulint::model {

namespace {

/// Spatial dimensions of [batch, channels, ...].
std::size_t spatial_axes(const Tensor& x) { return x.rank() > 2 ? x.rank() - 2 : 0; }

Tensor apply_linear(Machine& machine, const Tensor& x, const Arguments& a) {
  LinearLayer layer{.out = a.integer("out"),
                    .bias = a.flag("bias", true),
                    .name = a.word("name"),
                    .shared = a.word("shared")};
  if (a.has("weight")) layer.weight = machine.tensor(a.word("weight"));
  if (a.has("offset")) layer.offset = machine.tensor(a.word("offset"));
  return adapted_linear(machine, x, layer);
}

Tensor apply_packed_linear(Machine& machine, const Tensor& x, const Arguments& a) {
  PackedLinear layer;
  layer.out = {a.integer("query"), a.integer("key"), a.integer("value")};
  layer.bias = a.flag("bias", true);
  return adapted_packed_linear(machine, x, layer);
}

Tensor apply_conv(Machine& machine, const Tensor& x, const Arguments& a) {
  const std::size_t n = spatial_axes(x);
  Convolution c;
  c.out = a.integer("out");
  c.kernel = a.sizes("kernel", n, 1);
  c.stride = a.sizes("stride", n, 1);
  c.padding = a.sizes("padding", n, 0);
  c.dilation = a.sizes("dilation", n, 1);
  c.output_padding = a.sizes("output_padding", n, 0);
  c.groups = a.integer("groups", 1);
  c.bias = a.flag("bias", true);
  c.transposed = a.flag("transposed", false);
  if (a.has("weight")) c.weight = machine.tensor(a.word("weight"));
  if (a.has("offset")) c.offset = machine.tensor(a.word("offset"));
  const std::string shared = a.word("shared");
  if (!shared.empty() && x.rank() >= 2) {
    c.weight = machine.weight(shared, weight_sizes(x, c));
    if (c.bias) c.offset = machine.weight(shared + ".bias", {c.out});
    c.bias = false;
  }
  return convolve(machine.tape, x, c);
}

Tensor apply_batch_norm(Machine& machine, const Tensor& x, const Arguments& a) {
  const Tensor weight = a.has("weight") ? machine.tensor(a.word("weight")) : Tensor{};
  return batch_norm(machine.tape, x, a.flag("affine", true), a.flag("track", true), weight);
}

Tensor apply_layer_norm(Machine& machine, const Tensor& x, const Arguments& a) {
  return layer_norm(machine.tape, x, static_cast<std::size_t>(a.integer("dimensions", 1)),
                    a.flag("affine", true), a.flag("bias", true));
}

Tensor apply_group_norm(Machine& machine, const Tensor& x, const Arguments& a) {
  return group_norm(machine.tape, x, a.integer("groups"), a.flag("affine", true));
}

Tensor apply_instance_norm(Machine& machine, const Tensor& x, const Arguments& a) {
  return instance_norm(machine.tape, x, a.flag("affine", true));
}

Tensor apply_rms_norm(Machine& machine, const Tensor& x, const Arguments& a) {
  const std::string form = a.word("form", "composed");
  if (form == "fused") return rms_norm(machine.tape, x, RmsNormForm::fused);
  if (form == "weighted_wide") return rms_norm(machine.tape, x, RmsNormForm::weighted_wide);
  if (form != "composed") {
    machine.tape.refuse("form: expected composed, weighted_wide or fused, found " + form);
  }
  return rms_norm(machine.tape, x, RmsNormForm::composed);
}

Tensor apply_normalize(Machine& machine, const Tensor& x, const Arguments&) {
  return normalize(machine.tape, x);
}

Tensor apply_local_response_norm(Machine& machine, const Tensor& x, const Arguments& a) {
  return local_response_norm(machine.tape, x, a.integer("size", 5));
}

Tensor apply_activation(Machine& machine, const Tensor& x, const Arguments& a) {
  const std::string name = a.word("kind");
  if (name == "none") return x;
  const std::optional<Activation> kind = activation_from(name);
  if (!kind) machine.tape.refuse("kind: \"" + name + "\" is not an activation");
  return activate(machine.tape, x, kind.value_or(Activation::relu), a.flag("inplace", false));
}

Tensor apply_dropout(Machine& machine, const Tensor& x, const Arguments& a) {
  const std::string kind = a.word("kind", "elements");
  DropoutKind how = DropoutKind::elements;
  if (kind == "channels" || kind == "maps") how = DropoutKind::channels;
  if (kind == "samples") how = DropoutKind::samples;
  const double probability = machine.options.dropout ? a.real("probability", 0) : 0;
  return dropout(machine.tape, x, probability, how, a.flag("inplace", false));
}

Pool pool_of(const Tensor& x, const Arguments& a) {
  const std::size_t n =
      a.has("dimensions") ? static_cast<std::size_t>(a.integer("dimensions")) : spatial_axes(x);
  Pool pool;
  pool.kernel = a.sizes("kernel", n, 1);
  pool.stride = a.has("stride") ? a.sizes("stride", n, 1) : pool.kernel;
  pool.padding = a.sizes("padding", n, 0);
  pool.dilation = a.sizes("dilation", n, 1);
  pool.ceil_mode = a.flag("ceil_mode", false);
  return pool;
}

Tensor apply_max_pool(Machine& machine, const Tensor& x, const Arguments& a) {
  return max_pool(machine.tape, x, pool_of(x, a));
}
Tensor apply_average_pool(Machine& machine, const Tensor& x, const Arguments& a) {
  return average_pool(machine.tape, x, pool_of(x, a));
}
Tensor apply_adaptive_pool(Machine& machine, const Tensor& x, const Arguments& a) {
  return adaptive_average_pool(machine.tape, x, a.sizes("output", spatial_axes(x), 1));
}

Tensor apply_mean(Machine& machine, const Tensor& x, const Arguments& a) {
  return mean(machine.tape, x, a.list("dimensions"), a.flag("keep", false));
}

Tensor apply_flatten(Machine& machine, const Tensor& x, const Arguments& a) {
  return flatten(machine.tape, x, a.integer("from", 1), a.integer("to", -1));
}
Tensor apply_reshape(Machine& machine, const Tensor& x, const Arguments& a) {
  return reshape(machine.tape, x, a.list("sizes"));
}
Tensor apply_permute(Machine& machine, const Tensor& x, const Arguments& a) {
  return permute(machine.tape, x, a.list("order"));
}
Tensor apply_contiguous(Machine& machine, const Tensor& x, const Arguments&) {
  return contiguous(machine.tape, x);
}
Tensor apply_slice(Machine& machine, const Tensor& x, const Arguments& a) {
  const std::int64_t step = a.integer("step", 1);
  if (step != 1) {
    return strided(machine.tape, x, a.integer("dimension", 1), a.integer("size"), step);
  }
  return slice(machine.tape, x, a.integer("dimension", 1), a.integer("size"));
}
Tensor apply_select(Machine& machine, const Tensor& x, const Arguments& a) {
  const std::int64_t dimension = a.integer("dimension", 1);
  Tensor one = slice(machine.tape, x, dimension, 1);
  if (machine.tape.refused()) return x;
  const std::size_t at = static_cast<std::size_t>(
      dimension < 0 ? dimension + static_cast<std::int64_t>(x.rank()) : dimension);
  one.sizes.erase(at);
  one.strides.erase(at);
  return one;
}
Tensor apply_identity(Machine&, const Tensor& x, const Arguments&) { return x; }

Tensor apply_add(Machine& machine, const Tensor& x, const Arguments& a) {
  return add(machine.tape, x, machine.tensor(a.word("with")), a.flag("inplace", false));
}
Tensor apply_multiply(Machine& machine, const Tensor& x, const Arguments& a) {
  return multiply(machine.tape, x, machine.tensor(a.word("with")), a.flag("inplace", false));
}
Tensor apply_scale(Machine& machine, const Tensor& x, const Arguments& a) {
  return scale(machine.tape, x, a.flag("inplace", false));
}
Tensor apply_matmul(Machine& machine, const Tensor& x, const Arguments& a) {
  const Tensor other = machine.tensor(a.word("with"));
  const bool transpose = a.flag("transpose", false) && other.rank() >= 2;
  return matmul(machine.tape, x, transpose ? transposed(other, -2, -1) : other);
}
Tensor apply_softmax(Machine& machine, const Tensor& x, const Arguments& a) {
  return softmax(machine.tape, x, a.flag("fp32", false));
}

Tensor apply_concatenate(Machine& machine, const Tensor&, const Arguments& a) {
  std::vector<Tensor> parts;
  for (const std::string& name : a.words("of")) parts.push_back(machine.tensor(name));
  if (parts.empty()) machine.tape.refuse("of: names no tensor to concatenate");
  if (machine.tape.refused())
    return machine.tape.create({}, DType::fp32, StorageKind::buffer, false);
  return concatenate(machine.tape, parts, a.integer("dimension", 1));
}

/// A weight used directly: class tokens, position embeddings, layer scale.
Tensor apply_parameter(Machine& machine, const Tensor&, const Arguments& a) {
  return machine.weight(a.word("name"), a.list("sizes"));
}
/// A tensor the model computes or holds without a gradient: masks, indices, tables.
Tensor apply_constant(Machine& machine, const Tensor&, const Arguments& a) {
  const std::string kind = a.word("kind", "weights");
  DType dtype = machine.tape.options().precision.weights;
  if (kind == "int64") dtype = DType::int64;
  if (kind == "boolean") dtype = DType::boolean;
  if (kind == "fp32") dtype = DType::fp32;
  const StorageKind storage =
      a.flag("buffer", false) ? StorageKind::buffer : StorageKind::activation;
  return machine.tape.create(a.list("sizes"), dtype, storage, false);
}

Tensor apply_expand(Machine& machine, const Tensor& x, const Arguments& a) {
  const Dims sizes = a.list("sizes");
  const std::optional<Dims> wide = broadcast(x.sizes, sizes);
  if (!wide || !(*wide == sizes)) {
    machine.tape.refuse("a tensor of " + to_string(x.sizes) + " cannot be expanded to " +
                        to_string(sizes));
    return x;
  }
  return expanded(x, sizes);
}

Tensor apply_embedding(Machine& machine, const Tensor& x, const Arguments& a) {
  const Tensor weight = machine.weight(a.word("shared"), {a.integer("rows"), a.integer("columns")});
  Tensor result = embed(machine.tape, x, weight);
  // Adapters over frozen embeddings: training scripts let the gradient reach the first layer.
  const bool adapted = machine.options.lora_rank > 0;
  if (adapted && machine.options.embeddings_need_gradient) result.requires_grad = true;
  return result;
}

/// Rows of a table picked by an index tensor: relative position biases.
Tensor apply_gather_rows(Machine& machine, const Tensor& x, const Arguments& a) {
  return embed(machine.tape, machine.tensor(a.word("index")), x);
}

Tensor apply_upsample(Machine& machine, const Tensor& x, const Arguments& a) {
  Dims sizes = x.sizes;
  const std::size_t n = spatial_axes(x);
  const Dims factor = a.sizes("factor", n, 1);
  const Dims output = a.sizes("output", n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    sizes[i + 2] = a.has("output") ? output[i] : saturating_multiply(sizes[i + 2], factor[i]);
  }
  return rearrange(machine.tape, x, OperatorKind::upsample, sizes);
}

Tensor apply_pad(Machine& machine, const Tensor& x, const Arguments& a) {
  Dims sizes = x.sizes;
  const Dims amount = a.list("amount");  // both sides together, from the first dimension on
  for (std::size_t i = 0; i < amount.size() && i < sizes.size(); ++i) {
    sizes[i] = saturating_add(sizes[i], amount[i]);
  }
  if (sizes == x.sizes) return x;
  if (!a.flag("keeps_input", false)) return rearrange(machine.tape, x, OperatorKind::pad, sizes);
  return run_custom(machine.tape, {.operands = {x}, .keeps = {0}, .sizes = sizes});
}

Tensor apply_roll(Machine& machine, const Tensor& x, const Arguments&) {
  return rearrange(machine.tape, x, OperatorKind::roll, x.sizes);
}

Tensor apply_attention(Machine& machine, const Tensor& x, const Arguments& a) {
  AttentionOptions options;
  options.backend = machine.options.attention;
  const std::string backend = a.word("backend", "any");
  if (backend == "explicit") options.backend = AttentionBackend::explicit_math;
  options.dropout = machine.options.dropout ? a.real("dropout", 0) : 0;
  options.softmax_fp32 = a.flag("softmax_fp32", false);
  options.scale_query = a.flag("scale_query", false);
  options.fill_mask = a.flag("fill_mask", false);
  options.softcap = a.flag("softcap", false);
  options.causal = a.flag("causal", false);
  const std::string mask = a.word("mask");
  if (!mask.empty() && machine.has_tensor(mask)) options.mask = machine.tensor(mask);
  return attend(machine.tape, x, machine.tensor(a.word("key")), machine.tensor(a.word("value")),
                options);
}

Tensor apply_recurrent(Machine& machine, const Tensor& x, const Arguments& a) {
  Recurrent recurrent;
  const std::string cell = a.word("cell");
  if (cell != "lstm" && cell != "gru") {
    machine.tape.refuse("cell: expected lstm or gru, found " + cell);
  }
  recurrent.cell = cell == "gru" ? RecurrentCell::gru : RecurrentCell::lstm;
  recurrent.hidden = a.integer("hidden");
  recurrent.layers = a.integer("layers", 1);
  recurrent.bidirectional = a.flag("bidirectional", false);
  recurrent.dropout = machine.options.dropout ? a.real("dropout", 0) : 0;
  return recur(machine.tape, x, recurrent);
}

Tensor apply_cross_entropy(Machine& machine, const Tensor& x, const Arguments& a) {
  CrossEntropy options;
  options.upcast = a.flag("upcast", false);
  options.shift = a.flag("shift", false);
  options.label_smoothing = a.real("label_smoothing", 0);
  options.chunk = a.integer("chunk", 0);
  options.widened = a.flag("widened", false);
  options.dropped = a.flag("dropped", false);
  options.widened_whole = a.flag("widened_whole", false);
  return cross_entropy(machine.tape, x, options);
}
Tensor apply_experts(Machine& machine, const Tensor& x, const Arguments& a) {
  return mixture_of_experts(
      machine.tape, x, machine.tensor(a.word("router")),
      {.top_k = a.integer("top_k", 1),
       .intermediate = a.integer("intermediate"),
       .bias = a.flag("bias", false),
       .adapter_rank = machine.options.lora_experts ? machine.options.lora_rank : 0});
}
Tensor apply_pixel_cross_entropy(Machine& machine, const Tensor& x, const Arguments&) {
  return pixel_cross_entropy(machine.tape, x);
}
Tensor apply_resize_like(Machine& machine, const Tensor& x, const Arguments& a) {
  return resize_like(machine.tape, x, machine.tensor(a.word("with")));
}
Tensor apply_roi_align(Machine& machine, const Tensor& x, const Arguments& a) {
  return roi_align(machine.tape, x, a.integer("regions"), a.integer("output", 7));
}
Tensor apply_mse(Machine& machine, const Tensor& x, const Arguments& a) {
  return mean_squared_error(machine.tape, x, machine.tensor(a.word("target")));
}
Tensor apply_bce(Machine& machine, const Tensor& x, const Arguments& a) {
  return binary_cross_entropy(machine.tape, x, machine.tensor(a.word("target")),
                              a.flag("logits", true));
}

constexpr OperatorRule kOperatorRules[] = {
    {"activation", "kind! inplace", apply_activation},
    {"adaptive_average_pool", "output", apply_adaptive_pool},
    {"add", "with! inplace", apply_add},
    {"attention",
     "key! value! dropout softmax_fp32 scale_query fill_mask mask softcap causal backend",
     apply_attention},
    {"average_pool", "kernel! stride padding dilation ceil_mode dimensions", apply_average_pool},
    {"batch_norm", "affine track weight", apply_batch_norm},
    {"binary_cross_entropy", "target! logits", apply_bce},
    {"concatenate", "of! dimension", apply_concatenate},
    {"constant", "sizes! kind buffer", apply_constant},
    {"contiguous", "", apply_contiguous},
    {"conv",
     "out! kernel stride padding dilation output_padding groups bias transposed "
     "weight offset shared",
     apply_conv},
    {"cross_entropy", "upcast shift label_smoothing chunk widened widened_whole dropped",
     apply_cross_entropy},
    {"dropout", "probability! kind inplace", apply_dropout},
    {"embedding", "rows! columns! shared", apply_embedding},
    {"expand", "sizes!", apply_expand},
    {"experts", "router! top_k! intermediate! bias", apply_experts},
    {"flatten", "from to", apply_flatten},
    {"gather_rows", "index!", apply_gather_rows},
    {"group_norm", "groups! affine", apply_group_norm},
    {"identity", "", apply_identity},
    {"instance_norm", "affine", apply_instance_norm},
    {"layer_norm", "dimensions affine bias", apply_layer_norm},
    {"linear", "out! bias name shared weight offset", apply_linear},
    {"local_response_norm", "size", apply_local_response_norm},
    {"matmul", "with! transpose", apply_matmul},
    {"max_pool", "kernel! stride padding dilation ceil_mode dimensions", apply_max_pool},
    {"mean", "dimensions! keep", apply_mean},
    {"mean_squared_error", "target!", apply_mse},
    {"multiply", "with! inplace", apply_multiply},
    {"normalize", "", apply_normalize},
    {"packed_linear", "query! key! value! bias", apply_packed_linear},
    {"pad", "amount! keeps_input", apply_pad},
    {"parameter", "sizes! name", apply_parameter},
    {"permute", "order!", apply_permute},
    {"pixel_cross_entropy", "", apply_pixel_cross_entropy},
    {"recurrent", "cell! hidden! layers bidirectional dropout", apply_recurrent},
    {"reshape", "sizes!", apply_reshape},
    {"resize_like", "with!", apply_resize_like},
    {"rms_norm", "form", apply_rms_norm},
    {"roi_align", "regions! output", apply_roi_align},
    {"roll", "", apply_roll},
    {"scale", "inplace", apply_scale},
    {"select", "dimension", apply_select},
    {"slice", "size! dimension step", apply_slice},
    {"softmax", "fp32", apply_softmax},
    {"upsample", "factor output", apply_upsample},
};

}  // namespace

std::span<const OperatorRule> operator_rules() { return kOperatorRules; }

const OperatorRule* find_operator(std::string_view name) {
  for (const std::span<const OperatorRule> rules : {operator_rules(), general_rules()}) {
    const auto at = std::lower_bound(
        rules.begin(), rules.end(), name,
        [](const OperatorRule& rule, std::string_view wanted) { return rule.name < wanted; });
    if (at != rules.end() && at->name == name) return &*at;
  }
  return nullptr;
}

}  // namespace gpulint::model
