package dev.weft.hca.verbs;

/**
 * A verb refused its arguments or the state of its object; nothing was changed. The message says what was wrong and what
 * would be right; {@link #errno()} is what rdma-core returns for the same mistake.
 */
public sealed class VerbsException extends RuntimeException permits BadRequestException {
  private static final long serialVersionUID = 1L;

  /** Error numbers that rdma-core's verbs return, and those of a hardware thread that does not come. */
  public enum Errno {
    EINVAL,
    ENOMEM,
    EBUSY,
    EPERM,
    /** Memory that should be there is not. */
    EFAULT,
    ENODATA,
    EOPNOTSUPP,
    /** The hardware thread did not take up a control verb in time. */
    ETIMEDOUT,
    /** The HCA was closed. */
    ENODEV,
    /** The caller was interrupted before the hardware thread took up its control verb. */
    EINTR
  }

  private final Errno errno;

  public VerbsException(Errno errno, String message) {
    super(errno + ": " + message);
    this.errno = errno;
  }

  /** The message without the number. */
  String reason() {
    return getMessage().substring(errno.name().length() + 2);
  }

  public Errno errno() {
    return errno;
  }
}
