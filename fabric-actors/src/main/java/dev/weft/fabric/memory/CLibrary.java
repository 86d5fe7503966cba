package dev.weft.fabric.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** Functions of the C library. Any thread. */
public final class CLibrary {
  private CLibrary() {}

  /**
   * A function, ready to be called.
   *
   * @return null if this machine does not have it, or this JVM may not call it (--enable-native-access)
   */
  @SuppressWarnings("restricted") // calls into the C library, which is what native access is for
  public static MethodHandle find(String name, FunctionDescriptor type, Linker.Option... options) {
    if (!CLibrary.class.getModule().isNativeAccessEnabled()) {
      return null;
    }
    Linker linker = Linker.nativeLinker();
    return linker.defaultLookup().find(name).map(address -> linker.downcallHandle(address, type, options)).orElse(null);
  }
}
