#pragma once

#include <cstdint>

namespace gpulint {

/// What an adapter does to a frozen linear layer y = xW; D is a matrix as large as W, P one of
/// inputs x inputs, A and B are narrow. Trained unless said otherwise.
enum class AdapterForm : std::uint8_t {
  low_rank,              // y + s (xA)B
  mixed_factors,         // likewise, A and B shared by layers, B mixed of several
  decomposed,            // m (y + s (xA)B), m per output over the norm of the changed weight
  scale_and_shift,       // a (y + b), vectors per output (litgpt's adapter_v2)
  scale,                 // a y, a vector per output (IA3)
  projected,             // y + (xA)RB with A and B frozen or without weights: x is not kept
  projected_and_scaled,  // y + a (xA)RB, likewise, with a vector per output
  written_update,        // y + xD, D written out from a few weights
  transformed_update,    // likewise, D made by an inverse Fourier transform
  convolved,             // y + s (x * k), by way of Fourier transforms
  written_weight,        // x(W + D) in the adapter's format
  changed_weight,        // x(W + D) in W's format
  reflected_weight,      // x(WP), P a product of as many reflections as the rank
  rotated_input          // a ((xP)W), P built of butterfly factors, a vector per output
};

}  // namespace gpulint
