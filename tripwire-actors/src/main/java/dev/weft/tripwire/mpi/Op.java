package dev.weft.tripwire.mpi;

/** Operations of a reduction: associative and commutative, but for the rounding of DOUBLE. */
public enum Op {
  SUM,
  PROD,
  MIN,
  MAX,
  /** And of bits; not of DOUBLE. */
  BAND,
  /** Or of bits; not of DOUBLE. */
  BOR,
  /** Exclusive or of bits; not of DOUBLE. */
  BXOR;

  /** Of INT the low 32 bits are the result: both operands are sign-extended. */
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
