package dev.weft.tripwire.via;

/** Ends a connection; the code is for the application. */
@SuppressWarnings("serial")
final class ViFailure extends RuntimeException {
  final transient ViaErrorHandler.Code code;

  ViFailure(ViaErrorHandler.Code code, String message) {
    super(message, null, false, false);
    this.code = code;
  }
}
