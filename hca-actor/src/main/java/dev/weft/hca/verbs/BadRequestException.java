package dev.weft.hca.verbs;

/**
 * One of several requests that were posted together was refused: those before it are posted, it and those behind it are not. What
 * {@code bad_wr} tells in rdma-core.
 */
public final class BadRequestException extends VerbsException {
  private static final long serialVersionUID = 1L;

  private final int index;
  private final transient Object request;

  public BadRequestException(VerbsException cause, int index, int count, Object request, long wrId) {
    super(cause.errno(), "request " + index + " of " + count + " (wrId " + wrId + ") is refused, those before it are posted: "
        + cause.reason());
    initCause(cause);
    this.index = index;
    this.request = request;
  }

  /** Where in the list the refused request is, from 0; as many are posted. */
  public int index() {
    return index;
  }

  /** The refused request: a {@link WorkRequest} or {@link ReceiveRequest}. */
  public Object request() {
    return request;
  }
}
