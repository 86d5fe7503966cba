package dev.weft.hca.verbs;

/**
 * One request of a posted list was rejected. The requests before it are posted; it and the later ones are not. As {@code bad_wr} in rdma-core.
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

  /** The index of the rejected request in the list, from 0; that is also the number of posted requests. */
  public int index() {
    return index;
  }

  /** The rejected request: a {@link WorkRequest} or {@link ReceiveRequest}. */
  public Object request() {
    return request;
  }
}
