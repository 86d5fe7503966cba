package dev.weft.hca.verbs;

import dev.weft.fabric.Check;

/**
 * The attributes for creating an extended completion queue, as {@code ibv_cq_init_attr_ex}.
 *
 * @param cqe number of entries
 * @param context context that runs the handler
 * @param handler called when an armed queue gets a completion; null with {@link ReceiveContext#POLLING}
 * @param timestamps whether the HCA records the time of each completion; costs one reading of the clock per completion
 * @param singleThreaded whether only one thread at a time polls, so that the queue needs no lock
 */
public record CqExAttr(int cqe, ReceiveContext context, CompletionHandler handler, boolean timestamps, boolean singleThreaded) {
  public CqExAttr {
    Check.given("context", context);
  }
}
