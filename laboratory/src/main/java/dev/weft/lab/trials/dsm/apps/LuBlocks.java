package dev.weft.lab.trials.dsm.apps;

/** The operations of LU on blocks: squares of {@code b} x {@code b} doubles, row by row. Without pivoting. */
final class LuBlocks {
  private LuBlocks() {}

  /** Factors a block into a unit lower and an upper triangle, in place. */
  static void factor(double[] block, int b) {
    for (int k = 0; k < b; k++) {
      double pivot = block[k * b + k];
      for (int i = k + 1; i < b; i++) {
        double factor = block[i * b + k] / pivot;
        block[i * b + k] = factor;
        for (int j = k + 1; j < b; j++) {
          block[i * b + j] -= factor * block[k * b + j];
        }
      }
    }
  }

  /** Multiplies {@code block} by the inverse of the upper triangle of {@code diagonal}, for a block below the diagonal. */
  static void divideByUpper(double[] block, double[] diagonal, int b) {
    for (int i = 0; i < b; i++) {
      for (int k = 0; k < b; k++) {
        double factor = block[i * b + k] / diagonal[k * b + k];
        block[i * b + k] = factor;
        for (int j = k + 1; j < b; j++) {
          block[i * b + j] -= factor * diagonal[k * b + j];
        }
      }
    }
  }

  /** Multiplies the inverse of the unit lower triangle of {@code diagonal} by {@code block}, for a block right of the diagonal. */
  static void divideByLower(double[] block, double[] diagonal, int b) {
    for (int k = 0; k < b; k++) {
      for (int i = k + 1; i < b; i++) {
        double factor = diagonal[i * b + k];
        for (int j = 0; j < b; j++) {
          block[i * b + j] -= factor * block[k * b + j];
        }
      }
    }
  }

  /** Subtracts {@code left} times {@code right} from {@code block}. */
  static void subtractProduct(double[] block, double[] left, double[] right, int b) {
    for (int i = 0; i < b; i++) {
      for (int k = 0; k < b; k++) {
        double factor = left[i * b + k];
        for (int j = 0; j < b; j++) {
          block[i * b + j] -= factor * right[k * b + j];
        }
      }
    }
  }
}
