// Makes an uploaded picture small before it is sent. Without it, the file itself is sent.

const side = 512;
const maxBytes = 256 * 1024;

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-upload]")) {
  const input = form.querySelector<HTMLInputElement>("input[type=file]");
  input?.addEventListener("change", () => void prepare(form, input));
}

/** Replaces the chosen file by a small one where it can, and sends the form. */
async function prepare(form: HTMLFormElement, input: HTMLInputElement): Promise<void> {
  const file = input.files?.[0];
  if (!file) return;
  const isLogo = form.dataset["upload"] === "logo";
  const small = await smaller(file, isLogo).catch(() => undefined);
  // Somebody may have chosen another one by now.
  if (input.files?.[0] !== file) return;
  if (small) {
    const transfer = new DataTransfer();
    transfer.items.add(new File([small], "picture", { type: small.type }));
    input.files = transfer.files;
  }
  form.requestSubmit();
}

/** Upright and without metadata, because only the pixels are drawn. */
async function smaller(file: File, isLogo: boolean): Promise<Blob | undefined> {
  const image = await createImageBitmap(file, { imageOrientation: "from-image" });
  const isFine = file.size <= maxBytes && Math.max(image.width, image.height) <= side;
  if ((isLogo && isFine && file.type !== "image/webp") || !drawsTruly()) return undefined;
  const type = isLogo && file.type !== "image/jpeg" ? "image/png" : "image/jpeg";
  for (let longest = side; longest >= 64; longest /= 2)
    for (const quality of [0.9, 0.7]) {
      const blob = await drawn(image, { longest, type, quality });
      if (blob && blob.size <= maxBytes) return blob;
    }
  return undefined;
}

async function drawn(
  image: ImageBitmap,
  { longest, type, quality }: { longest: number; type: string; quality: number },
): Promise<Blob | null> {
  const scale = Math.min(1, longest / Math.max(image.width, image.height));
  const { canvas, context } = newCanvas(
    Math.max(1, Math.round(image.width * scale)),
    Math.max(1, Math.round(image.height * scale)),
  );
  if (type === "image/jpeg") {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((resolve) => canvas.toBlob(resolve, type, quality));
}

function newCanvas(width: number, height: number): { canvas: HTMLCanvasElement; context: CanvasRenderingContext2D } {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  return { canvas, context };
}

/** Some browsers change what a canvas returns, against fingerprints: known pixels tell. */
function drawsTruly(): boolean {
  const { context } = newCanvas(32, 32);
  for (let at = 0; at < 32; at += 1) {
    context.fillStyle = `rgb(${at * 8},${255 - at * 8},${at * 5})`;
    context.fillRect(at, 0, 1, 32);
  }
  const { data } = context.getImageData(0, 0, 32, 32);
  return data.every((value, place) => {
    const at = (place >> 2) % 32;
    return value === [at * 8, 255 - at * 8, at * 5, 255][place % 4];
  });
}
