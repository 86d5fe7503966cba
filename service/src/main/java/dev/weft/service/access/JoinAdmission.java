package dev.weft.service.access;

import dev.weft.fabric.admission.AdmissionClient;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Asks a fabric for its keys. If the fabric does not give them, the error says what the user should do. */
final class JoinAdmission {
  private JoinAdmission() {}

  /**
   * Returns the keys of the fabric; null if it has no secret.
   *
   * @throws CommandFailure if this JVM may not join it
   */
  static FabricKeys ask(FabricTarget target, HostAddress bind, SecretChoice choice) {
    AdmissionClient.Result result;
    try {
      boolean mayBeOpen = !choice.asked() && target.resolve().isLoopbackAddress();
      result = AdmissionClient.ask(bind.address(), new InetSocketAddress(target.resolve(), target.port()), choice.read(), mayBeOpen);
    } catch (IOException e) {
      throw new CommandFailure("the fabric at " + target + " did not answer the request to join (" + e.getMessage()
          + "); firewalls must let TCP and UDP to that port pass", e);
    }
    return switch (result) {
      case AdmissionClient.Admitted admitted -> admitted.keys();
      case AdmissionClient.NoDesk _ -> withoutSecret(target, choice);
      case AdmissionClient.SecretWanted _ -> throw new CommandFailure("the fabric at " + target + " admits only JVMs that have its secret: "
          + copy(target) + ", and name the copy by --secret-file or WEFT_SECRET_FILE");
      case AdmissionClient.Refused _ -> throw new CommandFailure("the fabric at " + target + " has another secret than " + choice.file() + ": "
          + copy(target) + ", again if it has changed");
      case AdmissionClient.Impostor _ -> throw new CommandFailure("the program at " + target + " does not know the secret of " + choice.file()
          + " itself and is not the fabric that you want to join; './weft status' on the fabric's host shows its address");
    };
  }

  private static String copy(FabricTarget target) {
    return "copy the file that 'weft up' on " + target.host() + " has printed after 'Secret' to this host, readable by you only (chmod 600)";
  }

  private static FabricKeys withoutSecret(FabricTarget target, SecretChoice choice) {
    if (choice.asked()) {
      throw new CommandFailure("the fabric at " + target + " has no secret, so it cannot prove that it is yours; omit --secret-file (or"
          + " WEFT_SECRET_FILE) to join it, or start it with the same --secret-file");
    }
    if (!target.resolve().isLoopbackAddress()) {
      throw new CommandFailure("no program at " + target + " admits JVMs to a fabric over TCP; start './weft up --bind " + target.host()
          + "' of this version there; firewalls must let TCP and UDP to that port pass");
    }
    return null;
  }
}
