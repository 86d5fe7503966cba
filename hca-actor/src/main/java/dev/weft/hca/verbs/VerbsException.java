package dev.weft.hca.verbs;

/**
 * A verb has rejected its arguments or the state of its object; nothing was changed. The message says what was wrong and what is
 * allowed; {@link #errno()} is the value that rdma-core returns for the same error.
 */
public sealed class VerbsException extends RuntimeException permits BadRequestException {
  private static final long serialVersionUID = 1L;

  /** Error numbers of rdma-core's verbs, and of a hardware thread that does not respond. */
  public enum Errno {
    EINVAL,
    ENOMEM,
    EBUSY,
    EPERM,
    /** Memory that the verb needs is not accessible. */
    EFAULT,
    ENODATA,
    EOPNOTSUPP,
    /** The hardware thread did not begin a control verb in time. */
    ETIMEDOUT,
    /** The HCA was closed. */
    ENODEV,
    /** The caller was interrupted before the hardware thread began its control verb. */
    EINTR
  }

  private final Errno errno;

  public VerbsException(Errno errno, String message) {
    super(errno + ": " + message);
    this.errno = errno;
  }

  /** The message without the error number. */
  String reason() {
    return getMessage().substring(errno.name().length() + 2);
  }

  public Errno errno() {
    return errno;
  }
}
