package dev.weft.pvfs.manager;

/** Why the manager takes no client, as it says in one byte. */
public final class Refusals {
  static final int NO_HELLO = 1;
  static final int TOO_MANY_CLIENTS = 2;
  static final int NO_RESOURCES = 3;
  static final int SESSION_TAKEN = 4;

  private Refusals() {}

  /** What that byte says. */
  public static String why(byte[] denial) {
    return switch (denial.length == 0 ? 0 : denial[0]) {
      case NO_HELLO -> "it speaks another version of the protocol";
      case TOO_MANY_CLIENTS -> "it serves as many clients as it may (weft.pvfs.manager.clients-max)";
      case NO_RESOURCES -> "its HCA or its memory has no room for another connection";
      case SESSION_TAKEN -> "another node has a session of that number";
      default -> "it does not say why";
    };
  }
}
