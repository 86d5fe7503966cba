package dev.weft.hca.verbs;

/** An HCA as its objects name it, without its verbs: its node, its settings and its port. Any thread. */
public interface Adapter {
  String nodeName();

  HcaSettings settings();

  /** Whether the HCA is closed. */
  boolean isClosed();

  /** The local identifier of the port; 0 until the subnet manager has assigned one. */
  int lid();

  /** The MTU of this port in bytes, as {@code active_mtu}; {@link Hca#datagramMaxBytes} is the limit of the path to another port. */
  int portMtuBytes();
}
