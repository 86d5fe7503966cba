package dev.weft.launcher.http;

import java.util.List;

/**
 * The cluster as one JVM sees it.
 *
 * @param self address of that JVM, {@code host:port}
 * @param selfStatus its status by Akka's name, or {@link #NOT_JOINED}
 * @param leader address of the leader, empty for none
 * @param members members, ordered by age, oldest first
 * @param removed the members that were removed last, oldest first, at most 32
 */
record ClusterView(String self, String selfStatus, String leader, List<MemberView> members, List<RemovedView> removed) {
  /** Status of a JVM that has not been in the cluster yet; Akka reports this as Removed, too. */
  static final String NOT_JOINED = "NotJoined";

  /** A member; {@code unreachable} if it misses heartbeats. */
  record MemberView(String address, long uid, String status, boolean unreachable, List<String> roles) {}

  /** A member that is gone; {@code afterStatus} is {@code Down} if it was not asked to leave. */
  record RemovedView(String address, long uid, String afterStatus, long removedAtEpochMs) {}
}
