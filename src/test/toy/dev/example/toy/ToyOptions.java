package dev.example.toy;

import dev.weft.lab.kit.RunOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is not left to the seed.
 *
 * @param windsMax most requests
 * @param isBroken whether steps are lost where a toy is wound up by more than six turns: the bug that must be found
 */
record ToyOptions(int windsMax, boolean isBroken) implements RunOptions<ToyOptions> {
  static final int WINDS = 20;

  @Override
  public Map<String, String> fixed() {
    Map<String, String> fixed = new LinkedHashMap<>();
    if (windsMax != WINDS) {
      fixed.put("--winds", Integer.toString(windsMax));
    }
    if (isBroken) {
      fixed.put("--broken", "true");
    }
    return fixed;
  }

  @Override
  public List<Cut<ToyOptions>> cuts() {
    return List.of(Cut.repeated(options -> options.windsMax > 1 ? new ToyOptions(options.windsMax - 1, options.isBroken) : null));
  }
}
