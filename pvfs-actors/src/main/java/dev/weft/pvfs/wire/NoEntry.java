package dev.weft.pvfs.wire;

/** Why a daemon or the manager rejects a client, sent as one byte. The order is that of the wire. */
public enum NoEntry {
  UNKNOWN("it does not say why"),
  NO_HELLO("it speaks another version of the protocol"),
  TOO_MANY_CLIENTS("it serves as many clients as it may (clients-max)"),
  NO_RESOURCES("its HCA or its memory has no room for another connection"),
  SESSION_TAKEN("another node has a session of that number"),
  NO_SERVICE("no such service is offered there"),
  UNREACHABLE("no process answers there"),
  WRONG_SECRET("one side does not know the secret of the other");

  private final String why;

  NoEntry(String why) {
    this.why = why;
  }

  /** Returns the byte for the connection manager. */
  public byte[] encode() {
    return new byte[] {(byte) ordinal()};
  }

  /** Returns the reason for such a byte. */
  public static String why(byte[] denial) {
    int code = denial.length == 0 ? 0 : denial[0];
    return (code >= 0 && code < values().length ? values()[code] : UNKNOWN).why;
  }
}
