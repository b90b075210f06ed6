#include "core/float_mode.h"

namespace detops {

FloatTrapsOff::FloatTrapsOff() : were_on_(before_.WithoutTraps().value != before_.value) {
  if (were_on_) before_.WithoutTraps().Adopt();
}

}  // namespace detops
