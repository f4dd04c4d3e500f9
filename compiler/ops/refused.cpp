// ONNX operators that are refused, each with its reason, so that the page of operators is complete.
#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

constexpr const char* data_shape = "the output's shape depends on data; shapes are static";
constexpr const char* no_sequences = "sequences are not compiled; tensors are";
constexpr const char* no_optionals = "optional values are not compiled; tensors are";
constexpr const char* no_strings = "strings are not compiled; numbers are";
constexpr const char* no_training = "only inference is compiled";
constexpr const char* no_randomness = "its result is random; runs must repeat";
constexpr const char* no_complex = "complex numbers and spectra are not compiled";
constexpr const char* no_classic = "classical learning operators are not compiled; tensor programs are";

const Registration refused[] = {
    Refusal{"NonMaxSuppression", data_shape},
    Refusal{"NonZero", data_shape},
    Refusal{"Unique", data_shape},
    Refusal{"Compress", data_shape},
    Refusal{"SequenceAt", no_sequences},
    Refusal{"SequenceConstruct", no_sequences},
    Refusal{"SequenceEmpty", no_sequences},
    Refusal{"SequenceErase", no_sequences},
    Refusal{"SequenceInsert", no_sequences},
    Refusal{"SequenceLength", no_sequences},
    Refusal{"SequenceMap", no_sequences},
    Refusal{"SplitToSequence", no_sequences},
    Refusal{"ConcatFromSequence", no_sequences},
    Refusal{"Optional", no_optionals},
    Refusal{"OptionalGetElement", no_optionals},
    Refusal{"OptionalHasElement", no_optionals},
    Refusal{"StringNormalizer", no_strings},
    Refusal{"StringConcat", no_strings},
    Refusal{"StringSplit", no_strings},
    Refusal{"RegexFullMatch", no_strings},
    Refusal{"TfIdfVectorizer", no_strings},
    Refusal{"Gradient", no_training, "ai.onnx.preview.training"},
    Refusal{"Adagrad", no_training, "ai.onnx.preview.training"},
    Refusal{"Adam", no_training, "ai.onnx.preview.training"},
    Refusal{"Momentum", no_training, "ai.onnx.preview.training"},
    Refusal{"SoftmaxCrossEntropyLoss", no_training},
    Refusal{"NegativeLogLikelihoodLoss", no_training},
    Refusal{"RandomNormal", no_randomness},
    Refusal{"RandomNormalLike", no_randomness},
    Refusal{"RandomUniform", no_randomness},
    Refusal{"RandomUniformLike", no_randomness},
    Refusal{"Bernoulli", no_randomness},
    Refusal{"Multinomial", no_randomness},
    Refusal{"DFT", no_complex},
    Refusal{"STFT", no_complex},
    Refusal{"MelWeightMatrix", "its table is known beforehand; store it as a constant"},
    Refusal{"ImageDecoder", "compressed images are not decoded; give the model its pixels"},
    Refusal{"ArrayFeatureExtractor", no_classic, "ai.onnx.ml"},
    Refusal{"Binarizer", no_classic, "ai.onnx.ml"},
    Refusal{"LinearClassifier", no_classic, "ai.onnx.ml"},
    Refusal{"LinearRegressor", no_classic, "ai.onnx.ml"},
    Refusal{"TreeEnsembleClassifier", no_classic, "ai.onnx.ml"},
    Refusal{"TreeEnsembleRegressor", no_classic, "ai.onnx.ml"},
};

}  // namespace
}  // namespace pimento::ops
