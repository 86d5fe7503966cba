package dev.weft.tripwire.via;

/** Ends a connection: what the application is told. */
@SuppressWarnings("serial")
final class ViFailure extends RuntimeException {
  final transient ViaErrorHandler.Code code;

  ViFailure(ViaErrorHandler.Code code, String message) {
    super(message, null, false, false);
    this.code = code;
  }
}
