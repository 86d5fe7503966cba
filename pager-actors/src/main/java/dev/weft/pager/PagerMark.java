package dev.weft.pager;

/** Branches of the pager that run only in shortages, delays and failures; see {@link dev.weft.fabric.time.Marks}. */
public enum PagerMark {
  /** A client's request waits for a credit. */
  CLIENT_WAITS_FOR_CREDIT,
  /** A request is for the area of a server that is already dead. */
  CLIENT_AREA_IS_DEAD,
  /** An outstanding request to a dead server fails. */
  CLIENT_FAILS_OUTSTANDING,
  /** A server did not reply in time. */
  CLIENT_REPLY_TIMEOUT,
  /** The queue pair to a server ran out of retries. */
  CLIENT_QP_FAILED,
  /** A server disconnected, or its node was reported lost. */
  CLIENT_TOLD_OF_LOSS,
  /** An area is served again after its connection was lost. */
  CLIENT_AREA_RETURNS,
  /** A request that was outstanding when the connection was lost is sent again. */
  CLIENT_SENDS_AGAIN,
  /** A device could not be opened. */
  CLIENT_OPEN_FAILED,
  /** A device was closed with requests outstanding. */
  CLIENT_CLOSED_BUSY,
  /** There are more requests than {@code requests-max}. */
  DEVICE_REFUSES,
  /** A caller waits for room in the registered pool. */
  POOL_WAITS,
  /** A server's send queue has no room for the next step of a request. */
  SERVER_WAITS_FOR_SEND_ROOM,
  /** A transfer waits for a staging buffer. */
  SERVER_WAITS_FOR_STAGING,
  /** The queue pair of a client ran out of retries. */
  SERVER_QP_FAILED,
  /** A client disconnected, or its node was reported lost. */
  SERVER_TOLD_OF_LOSS,
  /** A client left while an RDMA Read from it was outstanding. */
  SERVER_TAKES_BACK_READ,
  /** A client left while a staging buffer was in use for it. */
  SERVER_TAKES_BACK_STAGING,
  /** A client connects again while its old connection still exists; the server destroys the old one. */
  SERVER_FENCES_CONNECTION,
  /** A client has received the area back that it had before it lost its connection. */
  SERVER_RESUMES_AREA,
  /** A client was rejected. */
  SERVER_REFUSES_CLIENT,
  /** Memory that another client has used is lent again. */
  SERVER_REUSES_AREA,
  /** A stale block is zeroed because of an access. */
  BLOCK_ZEROED_LATE,
  /** A block was trimmed while data for it was in flight. */
  BLOCK_TRIMMED_UNDER_WRITE
}
