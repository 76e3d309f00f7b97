// The three ways to view a tensor, and descriptions for messages. Read: view_tensor, which tries
// them in the order of their cost. The trick: the kind of a class (an array, a torch tensor with a
// table, or without) is cached by the class's address, so that most calls don't query the class.
#include "bind/tensor_view.h"

#include <pybind11/numpy.h>

#include <cstring>

#include "bind/dlpack.h"
#include "support/text.h"

namespace xg2lab::bind {
namespace {

// ---- NumPy: the fields of the array's struct ----

ElementType element_of(const py::dtype& dtype) {
  const bool native = dtype.byteorder() == '=' || dtype.byteorder() == '|';
  if (!native) return ElementType::kOther;
  const auto size = dtype.itemsize();
  switch (dtype.kind()) {
    case 'i': return size == 4 ? ElementType::kInt32 : ElementType::kOther;
    case 'u': return size == 4 ? ElementType::kUInt32 : ElementType::kOther;
    case 'f':
      if (size == 2) return ElementType::kFloat16;
      if (size == 4) return ElementType::kFloat32;
      return size == 8 ? ElementType::kFloat64 : ElementType::kOther;
    default: return ElementType::kOther;
  }
}

TensorView view_array(const py::array& array) {
  TensorView view;
  view.data = const_cast<void*>(array.data());
  view.element = element_of(array.dtype());
  view.writable = array.writeable();
  view.n_dimensions = static_cast<int>(array.ndim());
  if (view.n_dimensions > TensorView::kMaxDimensions) return view;
  const auto item_size = static_cast<int64_t>(array.itemsize());
  for (int i = 0; i < view.n_dimensions; ++i) {
    view.shape[i] = static_cast<int64_t>(array.shape(i));
    const auto stride = static_cast<int64_t>(array.strides(i));
    if (item_size == 0) continue;  // empty elements, of no type known here
    // A stride that is not a whole number of elements matches no accepted layout.
    view.strides[i] = stride % item_size == 0 ? stride / item_size : 0;
    if (stride % item_size != 0 && view.shape[i] > 1) view.has_whole_strides = false;
  }
  return view;
}

// ---- torch: the table of C functions ----

const dlpack::ExchangeTable* exchange_table(py::handle type) {
  py::object capsule = py::getattr(type, "__dlpack_c_exchange_api__", py::none());
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) return nullptr;
  const auto* table = static_cast<const dlpack::ExchangeTable*>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  const bool readable = table->major_version == dlpack::kMajorVersion && table->describe != nullptr;
  return readable ? table : nullptr;
}

ElementType element_of(const dlpack::Tensor& tensor) {
  if (tensor.type_lanes != 1) return ElementType::kOther;
  const unsigned bits = tensor.type_bits;
  switch (tensor.type_code) {
    case dlpack::kTypeInt: return bits == 32 ? ElementType::kInt32 : ElementType::kOther;
    case dlpack::kTypeUInt: return bits == 32 ? ElementType::kUInt32 : ElementType::kOther;
    case dlpack::kTypeBFloat: return bits == 16 ? ElementType::kBFloat16 : ElementType::kOther;
    case dlpack::kTypeFloat:
      if (bits == 16) return ElementType::kFloat16;
      if (bits == 32) return ElementType::kFloat32;
      return bits == 64 ? ElementType::kFloat64 : ElementType::kOther;
    default: return ElementType::kOther;
  }
}

std::optional<TensorView> view_by_table(const dlpack::ExchangeTable& table, py::handle object) {
  dlpack::Tensor tensor;
  if (table.describe(object.ptr(), &tensor) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  TensorView view;
  view.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  view.element = element_of(tensor);
  view.on_cpu = tensor.device_type == dlpack::kDeviceCpu;
  view.n_dimensions = tensor.n_dimensions;
  if (view.n_dimensions > TensorView::kMaxDimensions) return view;
  int64_t compact = 1;
  for (int i = view.n_dimensions - 1; i >= 0; --i) {
    view.shape[i] = tensor.shape[i];
    view.strides[i] = tensor.strides != nullptr ? tensor.strides[i] : compact;
    compact *= tensor.shape[i];
  }
  return view;
}

// ---- torch without the table: attributes ----

ElementType element_named(const std::string& name) {
  if (name == "int32") return ElementType::kInt32;
  if (name == "uint32") return ElementType::kUInt32;
  if (name == "float16") return ElementType::kFloat16;
  if (name == "bfloat16") return ElementType::kBFloat16;
  if (name == "float32") return ElementType::kFloat32;
  if (name == "float64") return ElementType::kFloat64;
  return ElementType::kOther;
}

TensorView view_by_attributes(py::handle tensor) {
  TensorView view;
  view.element = element_named(dtype_name(tensor));
  view.on_cpu = tensor.attr("device").attr("type").cast<std::string>() == "cpu";
  if (view.on_cpu) view.data = reinterpret_cast<void*>(tensor.attr("data_ptr")().cast<uintptr_t>());
  const py::tuple shape = tensor.attr("shape");
  const py::tuple strides = tensor.attr("stride")();
  view.n_dimensions = static_cast<int>(shape.size());
  if (view.n_dimensions > TensorView::kMaxDimensions) return view;
  for (int i = 0; i < view.n_dimensions; ++i) {
    view.shape[i] = shape[static_cast<size_t>(i)].cast<int64_t>();
    view.strides[i] = strides[static_cast<size_t>(i)].cast<int64_t>();
  }
  return view;
}

// ---- The kind of a class, cached ----

bool is_torch_tensor(py::handle type) {
  for (py::handle base : py::reinterpret_borrow<py::tuple>(type.attr("__mro__"))) {
    const auto module = py::str(py::getattr(base, "__module__", py::str(""))).cast<std::string>();
    const auto name = py::str(py::getattr(base, "__name__", py::str(""))).cast<std::string>();
    if (module == "torch" && name == "Tensor") return true;
  }
  return false;
}

// Caches one class: a program that alternates between classes repeats the look-up. Guarded by the
// GIL. The class is kept alive, so that no other class gets its address.
struct KnownClass {
  PyTypeObject* type = nullptr;
  const dlpack::ExchangeTable* table = nullptr;
};

const KnownClass* known_torch_class(py::handle object) {
  static KnownClass known;
  PyTypeObject* type = Py_TYPE(object.ptr());
  if (known.type == type) return &known;
  const py::handle type_object(reinterpret_cast<PyObject*>(type));
  if (!is_torch_tensor(type_object)) return nullptr;
  Py_INCREF(type);
  Py_XDECREF(known.type);
  known = {type, exchange_table(type_object)};
  return &known;
}

}  // namespace

std::optional<TensorView> view_tensor(py::handle object) {
  if (py::isinstance<py::array>(object)) {
    return view_array(py::reinterpret_borrow<py::array>(object));
  }
  const KnownClass* known = known_torch_class(object);
  if (known == nullptr) return std::nullopt;
  if (known->table != nullptr) {
    if (auto view = view_by_table(*known->table, object)) return view;
  }
  return view_by_attributes(object);
}

std::string dtype_name(py::handle tensor) {
  auto name = py::str(tensor.attr("dtype")).cast<std::string>();
  return name.rfind("torch.", 0) == 0 ? name.substr(6) : name;
}

std::string device_name(py::handle tensor) {
  return py::str(py::getattr(tensor, "device", py::str("cpu"))).cast<std::string>();
}

std::string shape_text(py::handle tensor) {
  const py::tuple shape = tensor.attr("shape");
  const auto size_of = [](py::handle dimension) { return dimension.cast<int64_t>(); };
  return concat("(", join(shape, ", ", size_of), shape.size() == 1 ? ",)" : ")");
}

std::string kind_of_object(py::handle object) {
  if (object.is_none()) return "None";
  const auto name = py::str(py::type::handle_of(object).attr("__name__")).cast<std::string>();
  const bool vowel = name.find_first_of("aeiouAEIOU") == 0;
  return (vowel ? "an " : "a ") + name;
}

}  // namespace xg2lab::bind
