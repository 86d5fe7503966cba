package dev.weft.hca.verbs;

import dev.weft.fabric.Check;

/**
 * How an extended completion queue is created, as {@code ibv_cq_init_attr_ex}.
 *
 * @param cqe entries
 * @param context who runs the handler
 * @param handler called when an armed queue gets a completion; null with {@link ReceiveContext#POLLING}
 * @param timestamps whether the HCA notes when it completes a request; costs a look at the clock for each
 * @param singleThreaded whether one thread at a time polls, so that nothing need be locked
 */
public record CqExAttr(int cqe, ReceiveContext context, CompletionHandler handler, boolean timestamps, boolean singleThreaded) {
  public CqExAttr {
    Check.given("context", context);
  }
}
