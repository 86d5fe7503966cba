package dev.weft.hca.verbs;

/**
 * An event that concerns an object of the HCA and not a single work request, as {@code ibv_async_event}.
 *
 * @param type the type of the event
 * @param number number of the queue pair, completion queue or shared receive queue concerned; the LID for port events, 0 for the device
 */
public record AsyncEvent(Type type, int number) {
  /** Event types. */
  public enum Type {
    CQ_ERR,
    QP_FATAL,
    QP_REQ_ERR,
    QP_ACCESS_ERR,
    COMM_EST,
    SQ_DRAINED,
    SRQ_LIMIT_REACHED,
    QP_LAST_WQE_REACHED,
    PORT_ACTIVE,
    PORT_ERR,
    LID_CHANGE,
    /** The HCA was closed or has failed: its queue pairs are in ERR, and it processes nothing any more. */
    DEVICE_FATAL
  }
}
