package dev.weft.tripwire.mpi;

/** Operations of a reduction: associative and commutative, except for the rounding of DOUBLE. */
public enum Op {
  SUM,
  PROD,
  MIN,
  MAX,
  /** Bitwise and; not for DOUBLE. */
  BAND,
  /** Bitwise or; not for DOUBLE. */
  BOR,
  /** Bitwise exclusive or; not for DOUBLE. */
  BXOR;

  /** For INT the low 32 bits are the result: both operands are sign-extended. */
  long apply(long a, long b) {
    return switch (this) {
      case SUM -> a + b;
      case PROD -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case BAND -> a & b;
      case BOR -> a | b;
      case BXOR -> a ^ b;
    };
  }

  double apply(double a, double b) {
    return switch (this) {
      case SUM -> a + b;
      case PROD -> a * b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case BAND, BOR, BXOR -> throw new MpiException(ErrorClass.OP, this + " is an operation on bits, not on DOUBLE");
    };
  }
}
